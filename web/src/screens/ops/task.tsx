import { useCall } from '@/api/use_call';
import type { Task } from '@/api/schema';
import { MoreMenu } from '@/components/copy_menu';
import { Answered, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { formatNumber } from '@/format/numbers';
import { formatClockSeconds, formatDuration, formatExact } from '@/format/times';
import type { ScreenProps } from '@/router/routes';
import { status as words } from '@/strings/general';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { GroupLink } from './group_link';
import { Why } from './why';
import styles from './ops.module.css';

const waits = ['pending', 'retryable', 'deferred', 'held', 'blocked'];

function eventsOf(task: Task): { time: string; what: string }[] {
  const list: { time: string; what: string }[] = [];
  if (task.created_at) list.push({ time: task.created_at, what: t('evCreated', { queue: task.queue }) });
  if (task.started_at) list.push({ time: task.started_at, what: task.node ? t('evStarted', { node: task.node, attempt: task.attempts }) : t('evStartedNowhere', { attempt: task.attempts }) });
  if (task.finished_at) list.push({ time: task.finished_at, what: t('evFinished', { status: words.has(task.status) ? words(task.status).toLowerCase() : task.status }) });
  if (task.available_at && !task.finished_at && task.available_at !== task.created_at) list.push({ time: task.available_at, what: t('evLater') });
  return list.sort((a, b) => a.time.localeCompare(b.time));
}

function shownPayload(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Facts({ task }: { task: Task }) {
  return (
    <section className="card" aria-label={t('about')}>
      <header><h2>{t('about')}</h2></header>
      <dl className="kv pad">
        {task.error ? <><dt>{t('error')}</dt><dd className="mono">{task.error.code}</dd></> : null}
        <dt>{t('queue')}</dt><dd>{task.queue}</dd>
        <dt>{t('group')}</dt><dd><GroupLink group={task.group} /></dd>
        {task.stage ? <><dt>{t('stage')}</dt><dd>{task.stage}</dd></> : null}
        <dt>{t('priority')}</dt><dd>{formatNumber(task.priority)}</dd>
        <dt>{t('attempts')}</dt><dd>{formatNumber(task.attempts)}</dd>
        <dt>{t('crashes')}</dt><dd>{formatNumber(task.crashes)}</dd>
        {task.duration_ms === undefined ? null : <><dt>{t('duration')}</dt><dd>{formatDuration(task.duration_ms)}</dd></>}
        {task.available_at ? <><dt>{t('available')}</dt><dd>{formatExact(task.available_at)}</dd></> : null}
      </dl>
    </section>
  );
}

/** One task: what it is, what happened to it, why it waits. */
export default function TaskPage({ parameters }: ScreenProps) {
  const id = parameters.task ?? '';
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('tasks'), to: '/ops/tasks' }, { label: t('task', { id }) }]);
  const query = useCall('tasks.show', { path: { task: id } }, { refetchInterval: 2_000 });
  return (
    <Answered query={query}>
      {(task) => (
        <div className="page">
          <div className="pageHead">
            <h1>{task.kind} <span className="faint num">{task.task_id}</span></h1>
            <StatusChip status={task.status} />
            <span className="right"><MoreMenu request={{ method: 'GET', path: `/api/v1/tasks/${task.task_id}` }} /></span>
          </div>
          {task.error ? <ProblemView error={new Error(task.error.message)} /> : null}
          {waits.includes(task.status) ? <Why id={id} /> : null}
          <div className={styles.two}>
            <section className="card" aria-label={t('timeline')}>
              <header><h2>{t('timeline')}</h2></header>
              <ol className={styles.timeline}>{eventsOf(task).map((event) => <li key={event.what}><time dateTime={event.time} title={formatExact(event.time)}>{formatClockSeconds(event.time)}</time><span>{event.what}</span></li>)}</ol>
            </section>
            <Facts task={task} />
          </div>
          <section className="card" aria-label={t('payload')}><header><h2>{t('payload')}</h2></header><pre tabIndex={0}>{shownPayload(task.payload)}</pre></section>
        </div>
      )}
    </Answered>
  );
}
