import { Select, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Batch, RowTask } from '@/api/schema';
import { usePages } from '@/api/use_pages';
import { Button } from '@/components/button';
import { Scroll } from '@/components/scroll';
import { Answered, Empty, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { useAction } from '@/components/use_action';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { useSearch } from '@/router/router';
import { status as words } from '@/strings/general';
import { t } from '@/strings/batches';
import { refusedOf, touched } from './actions';
import { TaskDrawer } from './task_drawer';
import styles from './batches.module.css';

const statuses = ['pending', 'running', 'succeeded', 'failed', 'retryable', 'blocked', 'cancelled', 'ready_for_review'] as const;
const kTypingPause = 300;

function TextFilter({ name, label }: { name: 'source' | 'error' | 'key'; label: string }) {
  const [search, change] = useSearch();
  const there = search.get(name) ?? '';
  const [text, setText] = useState(there);
  useEffect(() => setText(there), [there]);
  useEffect(() => {
    if (text === there) return;
    const timer = window.setTimeout(() => change({ [name]: text.trim() }), kTypingPause);
    return () => window.clearTimeout(timer);
  }, [text, there, name, change]);
  return <TextInput aria-label={label} placeholder={label} value={text} data-filter={name === 'key' || undefined} onChange={(event) => setText(event.currentTarget.value)} />;
}

function Row({ task, open, onOpen }: { task: RowTask; open: boolean; onOpen: () => void }) {
  return (
    <tr className="link" aria-selected={open} onClick={onOpen}>
      <td><StatusChip status={task.status} /></td>
      <td><button type="button" className="linkBtn cut" style={{ maxWidth: 260 }} onClick={onOpen}>{visible(task.key || task.task_id)}</button></td>
      <td>{task.type}</td>
      <td className="n">{formatNumber(task.attempt)}</td>
      <td className="n">{task.duration_ms ? formatDuration(task.duration_ms) : ''}</td>
      <td className="mono cut" style={{ maxWidth: 260 }} title={task.source_url ?? ''}>{task.source_url ? visible(task.source_url) : ''}</td>
      <td className="red cut" style={{ maxWidth: 320 }} title={task.error?.message ?? ''}>{task.error ? visible(task.error.message ?? task.error.code ?? '') : ''}</td>
    </tr>
  );
}

/** Its tasks, filtered in the address; what fits can be retried, with its number on the button. */
export function Tasks({ batch }: { batch: Batch }) {
  const [search, change] = useSearch();
  const may = useMay();
  const action = useAction();
  const filter = { status: search.get('status') ?? undefined, source: search.get('source') ?? undefined, error: search.get('error') ?? undefined, key: search.get('key') ?? undefined };
  const filtered = Object.values(filter).some(Boolean);
  const { query, items, more, loadingMore } = usePages('batches.tasks', { path: { batch: batch.batch_id }, query: { ...filter, limit: 200 } }, { every: 5_000 });
  const chosen = search.get('task');
  const retriable = (['failed', 'blocked', 'cancelled'] as const).find((one) => one === filter.status);
  const retry = () => action.run('retry', async () => {
    const done = await call('batches.retry', { path: { batch: batch.batch_id }, body: { ...filter, status: retriable } });
    return t('retried', { count: done.tasks_done ?? done.done ?? 0 }) + refusedOf(done);
  }, touched);
  const retries = retriable !== undefined || (!filter.status && filter.error);
  return (
    <section className="card" aria-label={t('tasks')}>
      <div className={styles.taskFilters} role="search">
        <Select aria-label={t('status')} placeholder={t('anyState')} clearable clearButtonProps={{ 'aria-label': t('anyState') }} value={filter.status ?? null} data={statuses.map((value) => ({ value, label: words(value) }))} onChange={(value) => change({ status: value })} />
        <TextFilter name="key" label={t('anyKey')} />
        <TextFilter name="source" label={t('anySource')} />
        <TextFilter name="error" label={t('anyError')} />
        {filtered ? <button type="button" className="linkBtn small" onClick={() => change({ status: null, source: null, error: null, key: null })}>{t('clear')}</button> : null}
        {retries && items.length > 0 && !batch.finalized_at && may('batches.retry') ? <Button small className="right" pending={action.working !== null} onClick={() => void retry()}>{more ? t('retryFilteredMany') : t('retryFiltered', { count: items.length })}</Button> : null}
      </div>
      {action.error ? <div className="pad"><ProblemView error={action.error} compact /></div> : null}
      <Answered query={query} compact>
        {() => items.length === 0 ? <Empty>{t(filtered ? 'noTasksFiltered' : 'noTasks')}</Empty> : (
          <Scroll label={t('tasks')}>
            <table>
              <thead><tr><th>{t('status')}</th><th>{t('key')}</th><th>{t('stage')}</th><th className="n">{t('attempt')}</th><th className="n">{t('duration')}</th><th>{t('source')}</th><th>{t('error')}</th></tr></thead>
              <tbody>{items.map((task) => <Row key={task.task_id} task={task} open={task.task_id === chosen} onOpen={() => change({ task: task.task_id })} />)}</tbody>
            </table>
          </Scroll>
        )}
      </Answered>
      {more ? <div className="row pad small dim">{t('onlyThese', { shown: items.length })}<Button small pending={loadingMore} onClick={more}>{t('more')}</Button></div> : null}
      {chosen ? <TaskDrawer batch={batch} id={chosen} onClose={() => change({ task: null })} /> : null}
    </section>
  );
}
