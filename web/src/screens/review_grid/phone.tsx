import type { Import } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { CellText } from '@/components/cell_text';
import { t } from '@/strings/grid';
import { asFileWrites, changeAt, isFailed } from './rows';
import styles from './grid.module.css';

const kShown = 50;

/** Rows on a phone: what changes as old → new, what failed with its reason; no editing. */
export function PhoneRows({ job, state }: { job: Import; state: 'updated' | 'failed' }) {
  const page = useCall('imports.grid', { path: { import: job.job_id }, query: { state, limit: kShown } }).data;
  if (!page || page.matching === 0) return null;
  return (
    <section className={styles.cards} aria-label={state === 'failed' ? t('failedCells') : t('changedCells')}>
      <h2>{state === 'failed' ? t('failedCells') : t('changedCells')}</h2>
      {page.items.map((row) => (
        <div key={row.row} className={`card ${styles.cardRow}`}>
          <div className="faint num">{t('panel', { row: row.row })} · {page.columns.flatMap((column, at) => (column.key ? [row.values[at]] : [])).join(', ')}</div>
          {isFailed(row)
            ? row.issues.map((issue, at) => <div key={at}><b>{issue.source !== null ? page.columns[issue.source]?.source : issue.column}</b> {issue.message}</div>)
            : page.columns.flatMap((column, at) => {
                const change = changeAt(row, column);
                const now = row.values[at] ?? '';
                return change ? [<div key={at}><b>{column.source}</b> <span className={styles.was}>{change[0] === null ? t('empty') : asFileWrites(change[0], change[1], now)}</span>→ <CellText value={now} className={styles.now!} /></div>] : [];
              })}
        </div>
      ))}
      {page.matching > kShown ? <p className="small dim">{t('firstOf', { shown: kShown, total: page.matching })}</p> : null}
    </section>
  );
}
