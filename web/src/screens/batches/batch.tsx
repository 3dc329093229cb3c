import type { ReactNode } from 'react';
import type { Batch } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { ProgressBar } from '@/components/phase_bar';
import { Answered } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { TabLinks } from '@/components/tab_links';
import { visible } from '@/format/cells';
import { formatWhen } from '@/format/times';
import { useKeys } from '@/keys/keys';
import { navigate } from '@/router/router';
import type { ScreenProps } from '@/router/routes';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/batches';
import { Actions } from './actions';
import { Events } from './events';
import { Metrics } from './metrics';
import { ImportsOf, Stages, TaskLedger } from './overview';
import { Tasks } from './tasks';

const tabs = ['overview', 'tasks', 'metrics', 'events'] as const;
type Tab = (typeof tabs)[number];
const labels = { overview: 'tabOverview', tasks: 'tabTasks', metrics: 'tabMetrics', events: 'tabEvents' } as const;

function about(batch: Batch): string {
  const parts: string[] = [];
  const when = batch.started_at ?? batch.created_at;
  if (when) parts.push(batch.created_by ? t('startedBy', { when: formatWhen(when), who: batch.created_by }) : t('started', { when: formatWhen(when) }));
  if (batch.source_manifest) parts.push(t('manifest', { file: visible(batch.source_manifest) }));
  if (batch.finalized_at) parts.push(t('finalized', { when: formatWhen(batch.finalized_at), who: batch.finalized_by ?? '' }));
  return parts.join(' · ');
}

function Part({ tab, batch }: { tab: Tab; batch: Batch }): ReactNode {
  if (tab === 'tasks') return <Tasks batch={batch} />;
  if (tab === 'metrics') return <Metrics id={batch.batch_id} />;
  if (tab === 'events') return <Events id={batch.batch_id} />;
  return <><Stages id={batch.batch_id} /><ImportsOf batch={batch} /></>;
}

/** One batch: how far, how good, what to do. */
export default function BatchPage({ parameters }: ScreenProps) {
  const id = parameters.batch ?? '';
  const tab = tabs.find((one) => one === parameters.tab) ?? 'overview';
  const query = useCall('batches.show', { path: { batch: id } }, { refetchInterval: 2_000 });
  const name = query.data ? visible(query.data.name) : '';
  useCrumbs([{ label: t('title'), to: '/batches' }, { label: name }], query.data && query.data.progress < 100 ? `${query.data.progress} % ${name}` : name);
  const address = (one: Tab) => (one === 'overview' ? `/batches/${id}` : `/batches/${id}/${one}`);
  useKeys(t('title'), tabs.map((one, at) => ({ keys: String(at + 1), label: t(labels[one]), run: () => navigate(address(one)) })));
  return (
    <Answered query={query}>
      {(batch) => (
        <div className="page">
          <div className="pageHead">
            <div className="grow">
              <div className="row"><h1 className="cut">{name}</h1><StatusChip status={batch.status} failed={batch.jobs.failed || undefined} /></div>
              <p>{about(batch)}</p>
            </div>
            <Actions batch={batch} />
          </div>
          <ProgressBar percent={batch.progress} hue={batch.status === 'paused' ? 'violet' : 'blue'} label={t('percent', { percent: batch.progress, name: batch.name })} />
          <TaskLedger batch={batch} />
          <TabLinks label={t('parts')} tabs={tabs.map((one) => ({ to: address(one), label: t(labels[one]), here: one === tab, count: one === 'tasks' ? batch.tasks?.total : undefined }))} />
          <Part tab={tab} batch={batch} />
        </div>
      )}
    </Answered>
  );
}
