import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import type { Overview, OverviewSeries } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { useNow } from '@/components/age';
import { AreaChart, type Layer } from '@/components/area_chart';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
import { Answered, Empty } from '@/components/states';
import { formatBytes, formatNumber } from '@/format/numbers';
import { formatAge } from '@/format/times';
import { useSearch } from '@/router/router';
import { toggleHold } from '@/shell/hold';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { Attention } from './attention';
import { Figures } from './figures';
import { NodesCard, QueuesCard } from './tables';
import { useOverview } from './use_overview';
import styles from './ops.module.css';

const windows = ['900', '3600', '21600', '86400'] as const;
type Window = (typeof windows)[number];
// About 120 points, whatever the window.
const stepOf = (window: Window): number => Math.max(Number(window) / 120, 10);
const kOld = 15_000;

function summary(figures: Overview['figures']): string {
  const parts = [t('runningImports', { count: figures.imports_running })];
  if (figures.imports_queued > 0) parts.push(t('queuedImports', { count: figures.imports_queued }));
  if (figures.imports_waiting_for_review > 0) parts.push(t('reviewImports', { count: figures.imports_waiting_for_review }));
  return parts.join(', ');
}

/** What became of the rows, in the hues that outcomes have everywhere. */
const layersOf = ({ outcomes_per_second: rates }: OverviewSeries): Layer[] => [
  { name: t('inserted'), hue: 'green', values: rates.inserted },
  { name: t('updated'), hue: 'blue', values: rates.updated },
  { name: t('deletedRows'), hue: 'violet', values: rates.deleted },
  { name: t('unchanged'), hue: 'grey', values: rates.unchanged },
  { name: t('skipped'), hue: 'grey', light: true, values: rates.skipped },
  { name: t('failedRows'), hue: 'red', values: rates.failed },
];

function Throughput({ series, now }: { series: OverviewSeries | undefined; now: number }) {
  const [table, setTable] = useState(false);
  const from = series ? Date.parse(series.from) : 0;
  return (
    <section className="card" aria-label={t('rowsPerSecond')}>
      <header>
        <h2>{t('rowsPerSecond')}</h2><span className="faint num">{t('now', { count: Math.round(now) })}</span>
        <button type="button" className="linkBtn small right" onClick={() => setTable(!table)}>{t(table ? 'showChart' : 'showTable')}</button>
      </header>
      {series ? <AreaChart label={t('rowsPerSecond')} times={series.times.map((second) => from + second * 1000)} values={series.rows_per_second} layers={layersOf(series)} asTable={table} /> : <Empty>{t('notMeasured')}</Empty>}
    </section>
  );
}

function Database({ database }: { database: Overview['database'] }) {
  return (
    <section className="card" aria-label={t('database')}>
      <header><h2>{t('database')}</h2><span className="faint right">{t.has(database.backend) ? t(database.backend) : database.backend}</span></header>
      <dl className={styles.kv}>
        {database.connections === null ? null : <><dt>{t('connections')}</dt><dd>{formatNumber(database.connections)}</dd></>}
        {database.bytes === null ? null : <><dt>{t('databaseSize')}</dt><dd>{formatBytes(database.bytes)}</dd></>}
      </dl>
    </section>
  );
}

function OldFigures({ since }: { since: string }) {
  const now = useNow();
  if (now - Date.parse(since) < kOld) return null;
  return <div className="strip amber small" role="status">{t('figuresOld', { age: formatAge(since, now) })}</div>;
}

/** Is anything wrong, and what do I do. */
export default function OverviewPage() {
  useCrumbs([{ label: t('operations') }, { label: t('overview') }]);
  const [search, change] = useSearch();
  const asked = search.get('window') as Window;
  const window: Window = windows.includes(asked) ? asked : '3600';
  const { query, held } = useOverview();
  const series = useCall('overview.series', { query: { window: Number(window), step: stepOf(window) } }, { refetchInterval: held ? false : 10_000, keep: true });
  return (
    <div className="page">
      <div className="pageHead">
        <h1>{t('overview')}</h1>
        {query.data ? <p>{summary(query.data.figures)}</p> : null}
        <span className="row right wrap">
          <Segmented label={t('window')} value={window} options={windows.map((value) => ({ value, label: t(`w${value}`) }))} onChange={(value) => change({ window: value })} />
          <Button small icon={held ? <IconPlayerPlay {...smallIcon} /> : <IconPlayerPause {...smallIcon} />} aria-pressed={held} onClick={toggleHold}>{t(held ? 'goOn' : 'hold')}</Button>
        </span>
      </div>
      <Answered query={query} compact heights={[38, 90, 250, 220]}>
        {(overview) => (
          <>
            {held ? null : <OldFigures since={overview.server_time} />}
            <Attention list={overview.attention} />
            <Figures figures={overview.figures} series={series.data} />
            <div className={styles.two}>
              <Throughput key={window} series={series.data} now={overview.figures.rows_per_second} />
              <Database database={overview.database} />
            </div>
            <div className={styles.two}>
              <QueuesCard queues={overview.queues} />
              <NodesCard nodes={overview.nodes} />
            </div>
          </>
        )}
      </Answered>
    </div>
  );
}
