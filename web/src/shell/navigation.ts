import {
  IconAffiliate, IconBuilding, IconEye, IconFileText, IconGauge, IconInbox, IconKey, IconList, IconMenu2, IconServer, IconShieldCheck, IconSquareCheck, IconStack2, IconUsers, type Icon,
} from '@tabler/icons-react';
import type { Me } from '@/api/me';
import type { Calls } from '@/api/schema';
import { t } from '@/strings/shell';

export interface Place {
  to: string;
  label: string;
  icon: Icon;
  needs: keyof Calls;
  /** g and this letter */
  key?: string;
  count?: 'imports' | 'review' | 'deadLetters';
}

interface Group {
  title: string;
  places: Place[];
}

const groups = (): Group[] => [
  {
    title: t('work'),
    places: [
      { to: '/imports', label: t('imports'), icon: IconList, needs: 'imports.list', key: 'i', count: 'imports' },
      { to: '/batches', label: t('batches'), icon: IconStack2, needs: 'batches.list', key: 'b' },
      { to: '/review', label: t('review'), icon: IconEye, needs: 'imports.approve', key: 'r', count: 'review' },
      { to: '/definitions', label: t('definitions'), icon: IconFileText, needs: 'definitions.list' },
    ],
  },
  {
    title: t('operations'),
    places: [
      { to: '/ops', label: t('overview'), icon: IconGauge, needs: 'tasks.list', key: 'o' },
      { to: '/ops/queues', label: t('queues'), icon: IconMenu2, needs: 'queues.list' },
      { to: '/ops/tasks', label: t('tasks'), icon: IconSquareCheck, needs: 'tasks.list' },
      { to: '/ops/nodes', label: t('nodes'), icon: IconServer, needs: 'nodes.list' },
      { to: '/ops/dead-letters', label: t('deadLetters'), icon: IconInbox, needs: 'dead_letters.list', key: 'd', count: 'deadLetters' },
      { to: '/ops/webhooks', label: t('webhooks'), icon: IconAffiliate, needs: 'webhooks.list' },
    ],
  },
  {
    title: t('administration'),
    places: [
      { to: '/admin/users', label: t('users'), icon: IconUsers, needs: 'users.list' },
      { to: '/admin/tokens', label: t('tokens'), icon: IconKey, needs: 'users.list' },
      { to: '/admin/audit', label: t('audit'), icon: IconShieldCheck, needs: 'audit.list' },
      { to: '/admin/companies', label: t('companies'), icon: IconBuilding, needs: 'companies.list' },
    ],
  },
];

/** The groups that this person may use; others are absent, not grey. */
export function navigationFor(me: Me): Group[] {
  return groups()
    .map((group) => ({ ...group, places: group.places.filter((place) => me.may.includes(place.needs)) }))
    .filter((group) => group.places.length > 0);
}

/** The place that a path belongs to: the longest that it begins with. */
export function placeOf(path: string, list: Group[]): Place | undefined {
  return list
    .flatMap((group) => group.places)
    .filter((place) => path === place.to || path.startsWith(`${place.to}/`))
    .sort((a, b) => b.to.length - a.to.length)[0];
}
