import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { Import } from '@/api/schema';
import type { Filters } from './filters';
import { useKeys } from '@/keys/keys';
import { navigate, useSearch } from '@/router/router';
import { t } from '@/strings/imports';
import { usePreferences } from '@/theme/preferences';
import { Row } from './row';
import { SelectionBar } from './selection_bar';
import { useSelection } from './use_selection';
import styles from './imports.module.css';

interface Props {
  items: Import[];
  filters: Filters;
  hasMore: boolean;
  loadMore: () => void;
}

/** Rows in a window: 10,000 imports cost no more than 100. */
export function List({ items, filters, hasMore, loadMore }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [search, change] = useSearch();
  const { density } = usePreferences();
  const height = density === 'comfortable' ? 44 : 36;
  const rows = useVirtualizer({ count: items.length, getScrollElement: () => box.current, estimateSize: () => height, overscan: 10 });
  useEffect(() => rows.measure(), [rows, height]);
  const current = items.findIndex((one) => one.job_id === search.get('row'));
  const selection = useSelection(items, filters);
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const move = (step: number) => {
    const at = Math.max(0, Math.min(current + step, items.length - 1));
    const next = items[at];
    if (!next) return;
    change({ row: next.job_id });
    rows.scrollToIndex(at);
    // Enter is for the row now, not for a link that has the focus.
    box.current?.focus({ preventScroll: true });
  };
  const here = items[current];
  useKeys(t('title'), [
    { keys: 'j', label: t('down'), run: () => move(1), repeats: true },
    { keys: 'k', label: t('up'), run: () => move(-1), repeats: true },
    { keys: 'Enter', label: t('open'), run: () => here && navigate(`/imports/${here.job_id}`) },
    { keys: 'x', label: t('mark'), run: () => current >= 0 && selection.toggle(current, false) },
    { keys: 'Shift+x', label: t('markRange'), run: () => current >= 0 && selection.toggle(current, true) },
  ]);
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= items.length - 20) loadMore();
  }, [hasMore, last, items.length, loadMore]);
  return (
    <section className={`card ${styles.list}`}>
      {selection.chosen.length > 0 || selection.all ? <SelectionBar chosen={selection.chosen} filters={filters} more={hasMore || selection.chosen.length < items.length} all={selection.all} onAll={selection.setAll} clear={selection.clear} onProblems={setProblems} /> : null}
      <div role="table" aria-label={t('title')} aria-rowcount={hasMore ? -1 : items.length + 1} className={styles.table} ref={box} tabIndex={0}>
        <div role="row" className={`${styles.row} ${styles.head}`}>
          <span role="columnheader"><span className="hidden">{t('mark')}</span></span>
          <span role="columnheader">{t('status')}</span>
          <span role="columnheader">{t('name')}</span>
          <span role="columnheader" className={styles.wide}>{t('definition')}</span>
          <span role="columnheader" className={styles.wide}>{t('progress')}</span>
          <span role="columnheader" className={styles.number}>{t('rows')}</span>
          <span role="columnheader" className={`${styles.number} ${styles.wide}`}>{t('failedRows')}</span>
          <span role="columnheader" className={styles.number}>{t('age')}</span>
          <span role="columnheader" className={styles.wide}>{t('owner')}</span>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: rows.getTotalSize() }}>
          {shown.map((place) => {
            const one = items[place.index]!;
            return (
              <div key={one.job_id} role="presentation" className={styles.place} style={{ transform: `translateY(${place.start}px)`, height: place.size }}>
                <Row one={one} index={place.index} current={place.index === current} selected={selection.has(one.job_id)} problem={problems.get(one.job_id)} onSelect={selection.toggle} />
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
