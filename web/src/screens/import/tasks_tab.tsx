import { Drawer } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Import, Task } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { Segmented } from '@/components/segmented';
import { Answered, Empty, Loading, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { formatDuration, formatExact, formatWhen } from '@/format/times';
import { useSearch } from '@/router/router';
import { t } from '@/strings/import_page';

/** Which part of the file a task is about, from its payload. */
function partOf(task: Task): string {
  try {
    const payload = JSON.parse(task.payload) as Record<string, unknown>;
    if (typeof payload.chunk === 'number') return t('chunk', { number: payload.chunk });
    if (typeof payload.bucket === 'number') return t('bucket', { number: payload.bucket });
  } catch {
    return task.payload.slice(0, 40);
  }
  return task.stage ?? '';
}

function Details({ task }: { task: Task }) {
  const why = useCall('queue.why', { path: { import: String(task.task_id) } }, { enabled: task.status === 'pending' || task.status === 'retryable' });
  const when = (time: string | null) => (time ? <time dateTime={time} title={formatExact(time)}>{formatWhen(time)}</time> : t('none'));
  return (
    <div className="stack">
      <StatusChip status={task.status} />
      {why.data?.reasons.length ? <div><h3>{t('whyWaiting')}</h3>{why.data.reasons.map((one) => <p key={one.code}>{one.sentence}</p>)}</div> : null}
      {task.error ? <div className="strip red"><span style={{ overflowWrap: 'anywhere' }}>{task.error.message} <span className="mono faint">{task.error.code}</span></span></div> : null}
      <dl className="kv">
        <dt>{t('kind')}</dt><dd className="mono">{task.kind}</dd>
        <dt>{t('place')}</dt><dd>{partOf(task)}</dd>
        <dt>{t('queue')}</dt><dd className="mono">{task.queue}</dd>
        <dt>{t('attempts')}</dt><dd className="num">{task.attempts}</dd>
        {task.crashes > 0 ? <><dt>{t('crashes')}</dt><dd>{t('crashesNote', { count: task.crashes })}</dd></> : null}
        <dt>{t('node')}</dt><dd className="mono">{task.node ?? t('none')}</dd>
        <dt>{t('created')}</dt><dd>{when(task.created_at)}</dd>
        <dt>{t('available')}</dt><dd>{when(task.available_at)}</dd>
        <dt>{t('startedTask')}</dt><dd>{when(task.started_at)}</dd>
        <dt>{t('finishedTask')}</dt><dd>{when(task.finished_at)}</dd>
        <dt>{t('duration')}</dt><dd>{task.duration_ms !== undefined ? formatDuration(task.duration_ms) : t('none')}</dd>
      </dl>
      <h3>{t('payload')}</h3>
      <pre>{task.payload}</pre>
    </div>
  );
}

interface Pages {
  data: unknown;
  hasNextPage: boolean;
  isFetching: boolean;
  fetchNextPage: () => unknown;
}

/** The task that the address names, wherever it stands: asked for by itself, or, by those who may not, looked for in the pages that follow. */
function useOpen(tasks: Task[], { data, hasNextPage, isFetching, fetchNextPage }: Pages) {
  const [search] = useSearch();
  const may = useMay();
  const wanted = search.get('task');
  const listed = tasks.find((one) => String(one.task_id) === wanted);
  const alone = may('tasks.show');
  const asked = useCall('tasks.show', { path: { task: wanted ?? '' } }, { enabled: wanted !== null && data !== undefined && !listed && alone });
  const further = wanted !== null && !listed && !alone && hasNextPage && !isFetching;
  useEffect(() => {
    if (further) void fetchNextPage();
  }, [further, fetchNextPage]);
  return { wanted, open: listed ?? asked.data, error: listed ? null : asked.error };
}

/** Every task of an import; one opens with all that is known of it. */
export function TasksTab({ job }: { job: Import }) {
  const [search, change] = useSearch();
  const status = search.get('status') ?? 'all';
  const path = { import: job.job_id };
  const filter = status === 'all' ? {} : { status };
  const query = useInfiniteQuery({
    queryKey: ['imports.tasks', path, filter],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => call('imports.tasks', { path, query: { limit: 100, ...filter, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    getNextPageParam: (last) => last.next,
    refetchInterval: job.status === 'running' ? 3000 : false,
  });
  const tasks = query.data?.pages.flatMap((page) => page.items) ?? [];
  const { wanted, open, error } = useOpen(tasks, query);
  return (
    <section className="card" aria-label={t('tasks')}>
      <header>
        <h2>{t('tasks')}</h2>
        <span className="right"><Segmented label={t('state')} value={status} options={[{ value: 'all', label: t('allStates') }, ...['running', 'pending', 'retryable', 'succeeded', 'failed', 'cancelled'].map((one) => ({ value: one, label: one }))]} onChange={(next) => change({ status: next === 'all' ? null : next })} /></span>
      </header>
      <Answered query={{ data: query.data, error: query.error, isPending: query.isPending, refetch: query.refetch }} compact>
        {() => (
          <div className="scrollX">
            {tasks.length === 0 ? <Empty>{t('noTasks')}</Empty> : (
              <table>
                <thead><tr><th>{t('kind')}</th><th>{t('place')}</th><th>{t('state')}</th><th className="n">{t('attempts')}</th><th>{t('node')}</th><th className="n">{t('duration')}</th><th>{t('error')}</th></tr></thead>
                <tbody>
                  {tasks.map((task) => (
                    <tr key={task.task_id} className="link" onClick={() => change({ task: String(task.task_id) })}>
                      <td><button type="button" className="linkBtn mono" onClick={() => change({ task: String(task.task_id) })}>{task.kind}</button></td>
                      <td>{partOf(task)}</td>
                      <td><StatusChip status={task.status} /></td>
                      <td className="n">{task.attempts}</td>
                      <td className="mono">{task.node ?? ''}</td>
                      <td className="n">{task.duration_ms !== undefined ? formatDuration(task.duration_ms) : ''}</td>
                      <td className="red cut" style={{ maxWidth: 320 }} title={task.error?.message}>{task.error?.message}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            {query.hasNextPage ? <div className="pad"><Button small pending={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{t('loadMore')}</Button></div> : null}
          </div>
        )}
      </Answered>
      <Drawer opened={wanted !== null} onClose={() => change({ task: null })} position="right" title={wanted ? t('task', { id: wanted }) : ''} closeButtonProps={{ 'aria-label': t('goBack') }}>
        {open ? <Details task={open} /> : error ? <ProblemView error={error} compact /> : <Loading />}
      </Drawer>
    </section>
  );
}
