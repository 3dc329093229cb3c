import type { Batch } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { usePages } from '@/api/use_pages';
import { Age } from '@/components/age';
import { LedgerBar } from '@/components/ledger';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/batches';
import { sumStages } from './stages';
import styles from './batches.module.css';

/** Done, failed and waiting of each stage, with how long its tasks take. */
export function Stages({ id }: { id: string }) {
  const { query, items } = usePages('batches.stages', { path: { batch: id }, query: { limit: 500 } }, { every: 5_000 });
  const metrics = useCall('batches.metrics', { path: { batch: id } }, { refetchInterval: 5_000 });
  return (
    <Answered query={query} compact heights={[96]}>
      {() => (
        <ol className={styles.stages} aria-label={t('stages')}>
          {sumStages(items).map(({ name, counts }) => {
            const times = metrics.data?.stages.find((stage) => stage.job_type === name);
            return (
              <li key={name} className={styles.stage}>
                <h3>{t(`stage_${name}`)}<span className="num faint">{formatNumber(counts.total)}</span></h3>
                <div className="bar" aria-hidden="true">
                  <i style={{ width: `${share(counts.succeeded, counts.total)}%`, background: 'var(--green-fill)' }} />
                  <i style={{ width: `${share(counts.failed, counts.total)}%`, background: 'var(--red-fill)' }} />
                  <i style={{ width: `${share(counts.blocked, counts.total)}%`, background: 'var(--amber-fill)' }} />
                  <i style={{ width: `${share(counts.running, counts.total)}%`, background: 'var(--blue-fill)' }} />
                </div>
                <dl>
                  <dt>{t('done')}</dt><dd>{formatNumber(counts.succeeded)}</dd>
                  <dt>{t('failedWord')}</dt><dd className={counts.failed ? 'red' : ''}>{formatNumber(counts.failed)}</dd>
                  {counts.blocked ? <><dt>{t('blockedWord')}</dt><dd className="amber">{formatNumber(counts.blocked)}</dd></> : null}
                  <dt>{t('waiting')}</dt><dd>{formatNumber(counts.pending + counts.running)}</dd>
                </dl>
                <small>{times?.median_ms === null || times?.median_ms === undefined ? t('notMeasured') : t('medianP95', { median: formatDuration(times.median_ms), p95: formatDuration(times.p95_ms ?? 0) })}</small>
              </li>
            );
          })}
        </ol>
      )}
    </Answered>
  );
}

const share = (part: number, whole: number): number => (whole > 0 ? (part / whole) * 100 : 0);

/** Tasks = where they stand; each number leads to those tasks. */
export function TaskLedger({ batch }: { batch: Batch }) {
  const tasks = batch.tasks;
  if (!tasks) return null;
  const base = `/batches/${batch.batch_id}/tasks`;
  const cells: [string, string, number, string][] = [
    ['succeeded', 'green', tasks.succeeded, t('succeeded')],
    ['failed', 'red', tasks.failed, t('failed')],
    ['blocked', 'amber', tasks.blocked, t('blocked')],
    ['cancelled', 'grey', tasks.cancelled, t('cancelled')],
  ];
  const left = tasks.total - cells.reduce((sum, cell) => sum + cell[2], 0);
  return (
    <section className={`card ${styles.ledger}`} aria-label={t('ledger')}>
      <Link className={styles.cell} to={base}><small>{t('tasksTotal')}</small><b>{formatNumber(tasks.total)}</b></Link>
      {cells.map(([status, hue, count, label], at) => (
        <span key={status} style={{ display: 'contents' }}>
          <span className={styles.sign} aria-hidden="true">{at === 0 ? '=' : '+'}</span>
          <Link className={styles.cell} to={`${base}?status=${status}`}><small><i className={`sq ${hue}`} />{label}</small><b>{formatNumber(count)}</b></Link>
        </span>
      ))}
      <span className={styles.sign} aria-hidden="true">+</span>
      <Link className={styles.cell} to={`${base}?status=pending`}><small><i className="sq todo" />{t('toDo')}</small><b>{formatNumber(left)}</b></Link>
    </section>
  );
}

/** The imports that the batch is made of. */
export function ImportsOf({ batch }: { batch: Batch }) {
  const query = useCall('imports.list', { query: { batch: batch.name, limit: 100 } }, { refetchInterval: 5_000 });
  return (
    <section className="card" aria-label={t('importsOf')}>
      <header><h2>{t('importsOf')}</h2></header>
      <Answered query={query} compact>
        {(data) => data.items.length === 0 ? <Empty>{t('noImports')}</Empty> : (
          <Scroll label={t('importsOf')}>
            <table>
              <thead><tr><th>{t('status')}</th><th>{t('name')}</th><th>{t('progress')}</th><th className="n">{t('rows')}</th><th className="n">{t('failed')}</th><th className="n">{t('age')}</th></tr></thead>
              <tbody>
                {data.items.map((one) => (
                  <tr key={one.job_id}>
                    <td><StatusChip status={one.status} failed={one.rows.failed || undefined} /></td>
                    <td><Link to={`/imports/${one.job_id}`}>{visible(one.file)}</Link></td>
                    <td style={{ minWidth: 120 }}><LedgerBar rows={one.rows} /></td>
                    <td className="n">{formatNumber(one.rows.read)}</td>
                    <td className={`n ${one.rows.failed ? 'red' : 'faint'}`}>{formatNumber(one.rows.failed)}</td>
                    <td className="n">{one.created_at ? <Age time={one.created_at} /> : null}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </Answered>
    </section>
  );
}
