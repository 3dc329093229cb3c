import { Suspense, lazy, useMemo, useState } from 'react';
import type { Import, ImportSeries } from '@/api/schema';
import { Answered, Empty, Loading } from '@/components/states';
import { formatNumber } from '@/format/numbers';
import { formatClockSeconds } from '@/format/times';
import { t } from '@/strings/import_page';
import { ratesOf } from './rates';
import styles from './import.module.css';

const Plot = lazy(() => import('./throughput_plot'));

interface Query {
  data: ImportSeries | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

function Chart({ metrics, table }: { metrics: ImportSeries; table: boolean }) {
  const rates = useMemo(() => ratesOf(metrics), [metrics]);
  if (rates.times.length === 0) return <Empty>{t('noPoints')}</Empty>;
  if (table)
    return (
      <div className={styles.table} tabIndex={0} role="group" aria-label={t('perSecondTitle')}>
        <table>
          <thead><tr><th>{t('time')}</th><th className="n">{t('perSecondTitle')}</th></tr></thead>
          <tbody>{rates.times.map((time, at) => <tr key={time}><td className="num">{formatClockSeconds(time * 1000)}</td><td className="n">{formatNumber(Math.round(rates.perSecond[at]!))}</td></tr>)}</tbody>
        </table>
      </div>
    );
  return <div className={styles.plot}><Suspense fallback={<Loading heights={[132]} />}><Plot metrics={metrics} rates={rates} /></Suspense></div>;
}

/** Rows a second since the start, as a chart or as a table. */
export function Throughput({ job, query, pace }: { job: Import; query: Query; pace: number | null }) {
  const [table, setTable] = useState(false);
  return (
    <section className="card" aria-label={t('perSecondTitle')}>
      <header>
        <h2>{t('perSecondTitle')}</h2>
        <span className="right row">
          {job.status === 'running' && pace !== null ? <span className="faint num">{t('now', { count: Math.round(pace) })}</span> : null}
          <button type="button" className="linkBtn small" onClick={() => setTable(!table)}>{table ? t('showChart') : t('showTable')}</button>
        </span>
      </header>
      <Answered query={query} heights={[132]} compact>{(metrics) => <Chart metrics={metrics} table={table} />}</Answered>
    </section>
  );
}
