import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import type { Calls } from '@/api/schema';
import type { Parameters } from './router';

export interface ScreenProps {
  parameters: Parameters;
}

type Screen = LazyExoticComponent<ComponentType<ScreenProps>>;

export interface Route {
  pattern: string;
  screen: Screen;
  /** the call that whoever opens it has to be allowed; otherwise it is a plain 404 */
  needs?: keyof Calls;
}

const screen = (load: () => Promise<{ default: ComponentType<ScreenProps> }>): Screen => lazy(load);

/** Every page, each loaded when it is first opened. The first pattern that fits wins. */
export const routes: Route[] = [
  { pattern: '/imports', screen: screen(() => import('@/screens/imports')) },
  { pattern: '/imports/:id/review', screen: screen(() => import('@/screens/review_grid')) },
  { pattern: '/imports/:id/:tab?', screen: screen(() => import('@/screens/import')) },
  { pattern: '/new/:draft?/:step?', screen: screen(() => import('@/screens/new_import')), needs: 'imports.create' },
  { pattern: '/ops', screen: screen(() => import('@/screens/ops')), needs: 'tasks.list' },
  { pattern: '/ops/queues', screen: screen(() => import('@/screens/ops/queues')), needs: 'queues.list' },
  { pattern: '/ops/tasks', screen: screen(() => import('@/screens/ops/tasks')), needs: 'tasks.list' },
  { pattern: '/ops/tasks/:task', screen: screen(() => import('@/screens/ops/task')), needs: 'tasks.list' },
  { pattern: '/ops/nodes', screen: screen(() => import('@/screens/ops/nodes')), needs: 'nodes.list' },
  { pattern: '/ops/dead-letters', screen: screen(() => import('@/screens/ops/dead_letters')), needs: 'dead_letters.list' },
  { pattern: '/ops/webhooks', screen: screen(() => import('@/screens/ops/webhooks')), needs: 'webhooks.list' },
  { pattern: '/ops/webhooks/:webhook', screen: screen(() => import('@/screens/ops/webhook')), needs: 'webhooks.list' },
  { pattern: '/batches', screen: screen(() => import('@/screens/batches')), needs: 'batches.list' },
  { pattern: '/batches/:batch/:tab?', screen: screen(() => import('@/screens/batches/batch')), needs: 'batches.show' },
  { pattern: '/review', screen: screen(() => import('@/screens/review')), needs: 'imports.approve' },
  { pattern: '/definitions', screen: screen(() => import('@/screens/definitions')), needs: 'definitions.list' },
  { pattern: '/definitions/:slug/:tab?', screen: screen(() => import('@/screens/definitions/definition')), needs: 'definitions.show' },
  { pattern: '/admin/users', screen: screen(() => import('@/screens/admin/users')), needs: 'users.list' },
  { pattern: '/admin/tokens', screen: screen(() => import('@/screens/admin/tokens')), needs: 'tokens.list' },
  { pattern: '/admin/audit', screen: screen(() => import('@/screens/admin/audit')), needs: 'audit.list' },
  { pattern: '/admin/companies', screen: screen(() => import('@/screens/admin/companies')), needs: 'companies.list' },
];
