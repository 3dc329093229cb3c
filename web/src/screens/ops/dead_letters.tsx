import { useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { DeadLetterGroup } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { MoreMenu } from '@/components/copy_menu';
import { SparkBars } from '@/components/sparkline';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { useHeld } from '@/shell/hold';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { Letters, touched } from './letters';
import styles from './ops.module.css';

function Group({ group }: { group: DeadLetterGroup }) {
  const may = useMay();
  const action = useAction();
  const [open, setOpen] = useState(false);
  const [refused, setRefused] = useState<string[]>([]);
  const retry = () =>
    action.run(
      'retry',
      async () => {
        const done = await call('dead_letters.retry_many', { body: { group: group.group } });
        setRefused(done.refused.map((one) => t('refusedOne', { id: String(one.task_id), message: one.message })));
        return done.refused.length > 0 ? t('retriedSome', { retried: done.retried, refused: done.refused.length }) : t('retriedAll', { count: done.retried });
      },
      touched,
    );
  const today = group.spark.reduce((sum, value) => sum + value, 0);
  return (
    <article className={styles.group}>
      <div>
        <h2>{group.message || group.reason}</h2>
        <p className="small dim"><span className="mono">{group.reason}</span> · {group.kind} · {group.queue}</p>
      </div>
      <SparkBars values={group.spark} hue="red" label={t('daySpark', { count: today })} />
      <p className="small dim num"><span className={styles.count}>{group.count}</span><br />{group.first_at ? <Age time={group.first_at} /> : null}, {group.last_at ? <Age time={group.last_at} /> : null}</p>
      <span className="row wrap">
        {may('dead_letters.retry_many') ? <Button small pending={action.working === 'retry'} onClick={() => void retry()}>{t('retryAll', { count: group.count })}</Button> : null}
        <Button small look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>{t(open ? 'hideTasks' : 'showTasks')}</Button>
        <MoreMenu small request={{ method: 'POST', path: '/api/v1/queue/dead-letter/retry', body: { group: group.group } }} />
      </span>
      {action.error ? <div style={{ gridColumn: '1 / -1' }}><ProblemView error={action.error} compact /></div> : null}
      {refused.map((line) => <p key={line} className="red small" role="alert">{line}</p>)}
      {open ? <Letters group={group} /> : null}
    </article>
  );
}

/** What used up its attempts, by what went wrong. */
export default function DeadLetters() {
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('deadLetters') }]);
  const held = useHeld();
  const query = useCall('dead_letters.groups', {}, { refetchInterval: held ? false : 5_000 });
  const count = query.data?.items.reduce((sum, group) => sum + group.count, 0) ?? 0;
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('deadLetters')}</h1>{count > 0 ? <p className="num">{t('groupsSummary', { count, groups: t('groups', { count: query.data!.items.length }) })}</p> : null}</div>
      <Answered query={query} compact>
        {(data) => <section className="card">{data.items.length === 0 ? <Empty>{t('deadEmpty')}</Empty> : data.items.map((group) => <Group key={group.group} group={group} />)}</section>}
      </Answered>
    </div>
  );
}
