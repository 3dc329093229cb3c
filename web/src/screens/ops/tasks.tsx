import { Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { usePages } from '@/api/use_pages';
import type { Task } from '@/api/schema';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { formatNumber } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { Link } from '@/router/link';
import { navigate, useSearch } from '@/router/router';
import { status as words } from '@/strings/general';
import { useHeld } from '@/shell/hold';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { GroupLink } from './group_link';
import styles from './ops.module.css';

const statuses = ['pending', 'retryable', 'running', 'succeeded', 'failed', 'cancelled'] as const;

function KindFilter() {
  const [search, change] = useSearch();
  const there = search.get('kind') ?? '';
  const [text, setText] = useState(there);
  useEffect(() => setText(there), [there]);
  useEffect(() => {
    if (text === there) return;
    const timer = window.setTimeout(() => change({ kind: text }), 300);
    return () => window.clearTimeout(timer);
  }, [text, there, change]);
  return <TextInput data-filter aria-label={t('kind')} placeholder={t('anyKind')} leftSection={<IconSearch {...smallIcon} />} value={text} onChange={(event) => setText(event.currentTarget.value.trim())} />;
}

function Row({ task }: { task: Task }) {
  const to = `/ops/tasks/${task.task_id}`;
  return (
    <tr className="link" onClick={(event) => (event.target as HTMLElement).closest('a') || navigate(to)}>
      <td className="n"><Link to={to}>{task.task_id}</Link></td>
      <td><StatusChip status={task.status} /></td>
      <td><b>{task.kind}</b></td>
      <td>{task.queue}</td>
      <td><GroupLink group={task.group} /></td>
      <td className="n">{formatNumber(task.attempts)}</td>
      <td>{task.node ?? ''}</td>
      <td className="n">{task.duration_ms === undefined ? '' : formatDuration(task.duration_ms)}</td>
      <td className="n">{task.created_at ? <Age time={task.created_at} /> : null}</td>
      <td className="red cut" style={{ maxWidth: 320 }} title={task.error?.message}>{task.error?.message}</td>
    </tr>
  );
}

/** Every task, newest first. */
export default function Tasks() {
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('tasks') }]);
  const [search, change] = useSearch();
  const held = useHeld();
  const status = search.get('status') ?? undefined;
  const kind = search.get('kind') ?? undefined;
  const { query, items, more, loadingMore } = usePages('tasks.list', { query: { status, kind, limit: 100 } }, { every: held ? false : 5_000 });
  const filtered = Boolean(status || kind);
  return (
    <div className="page">
      <h1>{t('tasks')}</h1>
      <div className={styles.filters} role="search">
        <Select aria-label={t('status')} placeholder={t('anyState')} clearable clearButtonProps={{ 'aria-label': t('anyState') }} value={status ?? null} data={statuses.map((value) => ({ value, label: words(value) }))} onChange={(value) => change({ status: value })} />
        <KindFilter />
        {filtered ? <Link to="/ops/tasks" className="small">{t('clearFilters')}</Link> : null}
      </div>
      <Answered query={query} compact>
        {() => (
          <section className="card">
            {items.length === 0 ? <Empty>{t(filtered ? 'tasksEmptyFiltered' : 'tasksEmpty')}</Empty> : (
              <Scroll label={t('tasks')}>
                <table>
                  <thead><tr><th className="n">{t('tasks')}</th><th>{t('status')}</th><th>{t('kind')}</th><th>{t('queue')}</th><th>{t('group')}</th><th className="n">{t('attempts')}</th><th>{t('node')}</th><th className="n">{t('duration')}</th><th className="n">{t('created')}</th><th>{t('error')}</th></tr></thead>
                  <tbody>{items.map((task) => <Row key={task.task_id} task={task} />)}</tbody>
                </table>
              </Scroll>
            )}
          </section>
        )}
      </Answered>
      {more ? <div><Button small pending={loadingMore} onClick={more}>{t('more')}</Button></div> : null}
    </div>
  );
}
