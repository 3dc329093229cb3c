import { useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useConnection, useLive, type LiveEvent } from '@/api/live';
import { useMe } from '@/api/me';
import type { Batch, BatchPage } from '@/api/schema';
import { usePages } from '@/api/use_pages';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { ProgressBar } from '@/components/phase_bar';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { useKeys } from '@/keys/keys';
import { Link } from '@/router/link';
import { navigate, useSearch, withSearch } from '@/router/router';
import { useHeld } from '@/shell/hold';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/batches';
import { replaceBatches } from './replace_batches';
import styles from './batches.module.css';

const statuses = ['', 'pending', 'running', 'paused', 'succeeded', 'failed', 'cancelled'] as const;

function Row({ batch, current }: { batch: Batch; current: boolean }) {
  const to = `/batches/${batch.batch_id}`;
  const failed = batch.tasks?.failed ?? batch.rows.failed;
  return (
    <tr className="link" aria-selected={current} onClick={(event) => (event.target as HTMLElement).closest('a') || navigate(to)}>
      <td><StatusChip status={batch.status} failed={batch.jobs.failed || undefined} /></td>
      <td><Link to={to}><b>{visible(batch.name)}</b></Link></td>
      <td><span className={styles.progress}><ProgressBar percent={batch.progress} hue={batch.status === 'paused' ? 'violet' : batch.status === 'failed' ? 'red' : 'blue'} label={t('percent', { percent: batch.progress, name: batch.name })} /><span className="num caption faint">{batch.progress} %</span></span></td>
      <td className="n">{formatNumber(batch.jobs.finished)} / {formatNumber(batch.jobs.total)}</td>
      <td className="n">{batch.tasks ? `${formatNumber(batch.tasks.processed)} / ${formatNumber(batch.tasks.total)}` : ''}</td>
      <td className="n">{formatNumber(batch.rows.processed)}</td>
      <td className={`n ${failed ? 'red' : 'faint'}`}>{formatNumber(failed)}</td>
      <td className="n">{batch.created_at ? <Age time={batch.created_at} /> : null}</td>
      <td className="cut" style={{ maxWidth: 180 }}>{batch.created_by}</td>
    </tr>
  );
}

function Filters() {
  const [search, change] = useSearch();
  const me = useMe();
  const chosen = search.get('status') ?? '';
  const mine = search.get('owner') === me.data?.user;
  return (
    <div className={styles.filters} role="search">
      <nav className="seg" aria-label={t('status')}>
        {statuses.map((status) => <Link key={status} to={withSearch({ status }, '/batches', search.toString())} aria-current={chosen === status ? 'true' : undefined}>{status ? t(status) : t('all')}</Link>)}
      </nav>
      <Button aria-pressed={mine} onClick={() => change({ owner: mine ? null : me.data?.user })}>{t('mine')}</Button>
      {chosen || mine ? <Link to="/batches" className="small">{t('clear')}</Link> : null}
    </div>
  );
}

type Pages = InfiniteData<BatchPage, string | null>;

/** Batches of the page change in their place as the stream tells of them; one that is not on it makes the list be asked for again. */
function useLiveBatches(held: boolean): void {
  const client = useQueryClient();
  const refresh = () => void client.invalidateQueries({ queryKey: ['batches.list'] });
  const onEvents = (events: LiveEvent[]) => {
    if (held) return;
    const changed = new Map(events.filter((event) => event.kind === 'batch').map((event) => [(event.data as Batch).batch_id, event.data as Batch]));
    const seen = new Set<string>();
    client.setQueriesData<Pages>({ queryKey: ['batches.list'] }, (pages) => pages && { ...pages, pages: replaceBatches(pages.pages, changed, seen) });
    if (events.some((event) => event.kind === 'reset') || [...changed.keys()].some((id) => !seen.has(id))) refresh();
  };
  useLive('/api/v1/events?topic=batches', ['batch', 'reset', 'hello'], { onEvents, refresh });
  const wasHeld = useRef(held);
  useEffect(() => {
    if (wasHeld.current && !held) refresh();
    wasHeld.current = held;
  });
}

/** Many imports as one piece of work. */
export default function Batches() {
  useCrumbs([{ label: t('title') }]);
  const [search] = useSearch();
  const held = useHeld();
  const status = search.get('status') ?? undefined;
  const owner = search.get('owner') ?? undefined;
  const given = { status, limit: 100, ...(owner ? { owner } : {}) };
  // The stream tells of changes; asking finds what it does not tell, such as batches that do not fit the filters any more.
  const { connection } = useConnection();
  const { query, items, more, loadingMore } = usePages('batches.list', { query: given }, { every: held ? false : connection === 'live' ? 15_000 : 5_000 });
  useLiveBatches(held);
  const [at, setAt] = useState(-1);
  const move = (step: number) => {
    setAt(Math.max(0, Math.min(at + step, items.length - 1)));
    // Enter is for the row now, not for a link that has the focus.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  };
  useKeys(t('title'), [
    { keys: 'j', label: t('down'), run: () => move(1), repeats: true },
    { keys: 'k', label: t('up'), run: () => move(-1), repeats: true },
    { keys: 'Enter', label: t('open'), run: () => items[at] && navigate(`/batches/${items[at].batch_id}`) },
  ]);
  return (
    <div className="page">
      <h1>{t('title')}</h1>
      <Filters />
      <Answered query={query} compact>
        {() => (
          <section className="card">
            {items.length === 0 ? <Empty>{t(status || owner ? 'emptyFiltered' : 'empty')}</Empty> : (
              <Scroll label={t('title')}>
                <table>
                  <thead><tr><th>{t('status')}</th><th>{t('name')}</th><th>{t('progress')}</th><th className="n">{t('imports')}</th><th className="n">{t('tasks')}</th><th className="n">{t('rows')}</th><th className="n">{t('failed')}</th><th className="n">{t('age')}</th><th>{t('owner')}</th></tr></thead>
                  <tbody>{items.map((batch, index) => <Row key={batch.batch_id} batch={batch} current={index === at} />)}</tbody>
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
