import { useCall } from '@/api/use_call';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { formatNumber, formatShare } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/batches';
import styles from './batches.module.css';

const percent = (rate: number): string => formatShare(rate, 1) || '–';
const time = (value: number | null): string => (value === null ? '–' : formatDuration(value));

/** How well it goes: rates, durations by stage, and why it fails. */
export function Metrics({ id }: { id: string }) {
  const query = useCall('batches.metrics', { path: { batch: id } }, { refetchInterval: 5_000 });
  return (
    <Answered query={query} compact>
      {(metrics) => (
        <>
          <section className={`card ${styles.figures}`}>
            <div><small>{t('successRate')}</small><b>{percent(metrics.success_rate)}</b></div>
            <div><small>{t('retryRate')}</small><b>{percent(metrics.retry_rate)}</b></div>
            <div><small>{t('failures')}</small><b>{formatNumber(metrics.failures)}</b></div>
          </section>
          <div className={styles.two}>
            <section className="card" aria-label={t('byStage')}>
              <header><h2>{t('byStage')}</h2></header>
              <Scroll label={t('byStage')}>
                <table>
                  <thead><tr><th>{t('stage')}</th><th className="n">{t('tasks')}</th><th className="n">{t('failed')}</th><th className="n">{t('successRate')}</th><th className="n">{t('retryRate')}</th><th className="n">{t('median')}</th><th className="n">{t('p95')}</th></tr></thead>
                  <tbody>
                    {metrics.stages.map((stage) => {
                      const key = `stage_${stage.job_type}`;
                      return <tr key={stage.job_type}><td><b>{t.has(key) ? t(key) : stage.job_type}</b></td><td className="n">{formatNumber(stage.tasks)}</td><td className={`n ${stage.failed ? 'red' : ''}`}>{formatNumber(stage.failed)}</td><td className="n">{percent(stage.success_rate)}</td><td className="n">{percent(stage.retry_rate)}</td><td className="n">{time(stage.median_ms)}</td><td className="n">{time(stage.p95_ms)}</td></tr>;
                    })}
                  </tbody>
                </table>
              </Scroll>
            </section>
            <section className="card" aria-label={t('reasons')}>
              <header><h2>{t('reasons')}</h2></header>
              {metrics.top_failure_reasons.length === 0 ? <Empty>{t('noReasons')}</Empty> : (
                <Scroll label={t('reasons')}>
                  <table>
                    <thead><tr><th>{t('reason')}</th><th className="n">{t('count')}</th><th>{t('share')}</th></tr></thead>
                    <tbody>
                      {metrics.top_failure_reasons.map((reason) => (
                        <tr key={`${reason.code} ${reason.reason}`}>
                          <td className="cut" style={{ maxWidth: 320 }}><Link to={`/batches/${id}/tasks?error=${encodeURIComponent(reason.code)}`} className="mono">{reason.code}</Link> <span className="dim">{reason.reason ? visible(reason.reason) : ''}</span></td>
                          <td className="n">{formatNumber(reason.count)}</td>
                          <td><span className={`bar ${styles.shareBar}`} aria-hidden="true"><i style={{ width: `${Math.min(reason.share, 1) * 100}%`, background: 'var(--red-fill)' }} /></span><span className="num">{percent(reason.share)}</span></td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </Scroll>
              )}
            </section>
          </div>
        </>
      )}
    </Answered>
  );
}
