import { Select } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '@/api/me';
import type { ReviewItem } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { usePages } from '@/api/use_pages';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useKeys } from '@/keys/keys';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/review';
import { AsFound } from './as_found';
import { Bulk } from './bulk';
import { Candidates, choices, kMostCandidates } from './candidates';
import { QueueList } from './queue_list';
import { useDecisions } from './use_decisions';
import styles from './review.module.css';

const levels = ['', 'high', 'medium', 'low'] as const;
const kNames = ['confidence', 'table', 'batch', 'job'] as const;

function filterOf(search: URLSearchParams): Record<string, string> {
  return Object.fromEntries(kNames.flatMap((name) => { const value = search.get(name); return value ? [[name, value]] : []; }));
}

function Filters({ tables }: { tables: string[] }) {
  const [search, change] = useSearch();
  const batches = useCall('batches.list', { query: { limit: 100 } }, { staleTime: 60_000 });
  const table = search.get('table');
  const known = [...new Set([...tables, ...(table ? [table] : [])])].toSorted();
  const batch = search.get('batch');
  const names = [...new Set([...(batches.data?.items.map((one) => one.name) ?? []), ...(batch ? [batch] : [])])];
  return (
    <>
      <Segmented label={t('confidence')} value={search.get('confidence') ?? ''} options={levels.map((value) => ({ value: value as string, label: value ? t(value) : t('all') }))} onChange={(confidence) => change({ confidence, item: null })} />
      {known.length > 1 || table ? <Select className={styles.pick} aria-label={t('kind')} placeholder={t('anyKind')} clearable clearButtonProps={{ 'aria-label': t('anyKind') }} data={known} value={table} onChange={(value) => change({ table: value, item: null })} /> : null}
      {names.length > 0 ? <Select className={styles.pick} aria-label={t('batch')} placeholder={t('anyBatch')} clearable clearButtonProps={{ 'aria-label': t('anyBatch') }} data={names} value={batch} onChange={(value) => change({ batch: value, item: null })} /> : null}
    </>
  );
}

/** The one that stands on the page: that of the address while it is open, otherwise the first. */
function useCurrent(items: ReviewItem[]) {
  const [search, change] = useSearch();
  const at = Math.max(0, items.findIndex((item) => String(item.id) === search.get('item')));
  const go = (item: ReviewItem | undefined) => change({ item: item ? String(item.id) : null });
  return { current: items[at], after: items[at + 1] ?? items[at - 1], move: (step: number) => go(items[Math.max(0, Math.min(at + step, items.length - 1))]), go };
}

/** One decision at a time, by keys: whom does this name mean. */
export default function Review() {
  useCrumbs([{ label: t('title') }]);
  const [search] = useSearch();
  const may = useMay();
  const [bulk, setBulk] = useState(false);
  const filter = filterOf(search);
  const { query, items: all, more } = usePages('review.list', { query: { ...filter, limit: 100 } }, { every: 15_000 });
  const { gone, said, fault, count, decide, undo } = useDecisions();
  const items = all.filter((item) => !gone.has(item.id));
  const { current, after, move, go } = useCurrent(items);
  const mayDecide = may('review.decide');
  const counts = useCall('imports.counts', {}, { refetchInterval: 10_000 });
  const act = (decision: Parameters<typeof decide>[1]) => {
    if (!current || !mayDecide) return;
    go(after);
    void decide(current, decision);
  };
  const pick = (at: number) => {
    const entity = current && choices(current)[at]?.id;
    if (entity) act({ decision: 'pick', entity });
  };
  useKeys(t('title'), [
    { keys: 'j', label: t('next'), run: () => move(1), repeats: true },
    { keys: 'k', label: t('previous'), run: () => move(-1), repeats: true },
    ...(mayDecide
      ? [
          ...Array.from({ length: kMostCandidates }, (_, at) => ({ keys: String(at + 1), label: t('choose'), run: () => pick(at) })),
          { keys: 'n', label: t('newEntity'), run: () => act({ decision: 'create' }) },
          { keys: 'x', label: t('reject'), run: () => act({ decision: 'reject' }) },
          { keys: 's', label: t('skip'), run: () => move(1) },
          { keys: 'u', label: t('undo'), run: () => void undo() },
        ]
      : []),
  ]);
  return (
    <div className={`page ${styles.page}`}>
      <div className={styles.head}>
        <h1>{t('title')}</h1>
        <Filters tables={all.map((item) => item.table)} />
        <span className="row right">
          {count > 0 ? <><span className="small dim num">{t('decidedNow', { count })}</span><Button small icon={<IconArrowBackUp {...smallIcon} />} onClick={() => void undo()}>{t('undo')} <kbd>u</kbd></Button></> : null}
          {may('review.bulk') && items.length > 0 ? <Button small onClick={() => setBulk(true)}>{t('bulk')}</Button> : null}
        </span>
      </div>
      {counts.data?.waiting_for_review ? <div className="strip small"><span className="num">{t('importsWait', { count: counts.data.waiting_for_review })}</span><Link to="/imports?status=review">{t('showImports')}</Link></div> : null}
      <p className={styles.said} role="status">{said}</p>
      {fault ? <ProblemView error={fault} compact /> : null}
      <Answered query={query} compact heights={[320]}>
        {() => current ? (
          <div className={styles.three}>
            <QueueList items={items} current={current} onChoose={go} more={more} />
            <AsFound item={current} />
            <Candidates item={current} mayDecide={mayDecide} onPick={(entity) => act({ decision: 'pick', entity })} onCreate={() => act({ decision: 'create' })} onReject={() => act({ decision: 'reject' })} onSkip={() => move(1)} />
          </div>
        ) : <div className="card"><Empty action={Object.keys(filter).length > 0 ? <Link to="/review">{t('clear')}</Link> : null}>{t(Object.keys(filter).length > 0 ? 'emptyFiltered' : 'empty')}</Empty></div>}
      </Answered>
      {bulk ? <Bulk filter={filter} onClose={() => setBulk(false)} /> : null}
    </div>
  );
}
