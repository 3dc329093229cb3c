import type { ReactNode } from 'react';
import type { Overview, OverviewSeries } from '@/api/schema';
import type { Point } from '@/components/chart_points';
import { Sparkline } from '@/components/sparkline';
import { formatNumber } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { t } from '@/strings/ops';
import styles from './ops.module.css';

function Figure({ name, children, values, hue }: { name: string; children: ReactNode; values: Point[] | undefined; hue: string }) {
  return (
    <div className={styles.figure}>
      <small>{name}</small>
      <b>{children}</b>
      <Sparkline values={values ?? []} hue={hue} />
    </div>
  );
}

const milliseconds = (value: number | null): string => (value === null ? '–' : formatDuration(value));

/** Six figures; the oldest ready task is the alarm, not how many there are. */
export function Figures({ figures, series }: { figures: Overview['figures']; series: OverviewSeries | undefined }) {
  const late = (figures.oldest_ready_seconds ?? 0) > 60;
  return (
    <section className={`card ${styles.figures}`} aria-label={t('figures')}>
      <Figure name={t('running')} values={series?.running} hue="blue">{formatNumber(figures.running)}<em>{t('ofSlots', { count: figures.slots })}</em></Figure>
      <Figure name={t('ready')} values={series?.ready} hue="grey">{formatNumber(figures.ready)}<em>{[figures.held > 0 ? t('held', { count: figures.held }) : '', figures.later > 0 ? t('later', { count: figures.later }) : ''].filter(Boolean).join(', ')}</em></Figure>
      <Figure name={t('oldest')} values={series?.oldest_ready_seconds} hue={late ? 'amber' : 'grey'}>{figures.oldest_ready_seconds === null ? '–' : formatDuration(figures.oldest_ready_seconds * 1000)}</Figure>
      <Figure name={t('pickup')} values={series?.pickup_p99_ms} hue="grey">{milliseconds(figures.pickup_p50_ms)}<i>/</i>{milliseconds(figures.pickup_p99_ms)}</Figure>
      <Figure name={t('failedAttempts')} values={series?.failed_attempts} hue={figures.failed_attempts > 0 ? 'amber' : 'grey'}>{formatNumber(figures.failed_attempts)}<em>{t('ofTasksAlive')}</em></Figure>
      <Figure name={t('deadLetters')} values={series?.dead_letters} hue={figures.dead_letters > 0 ? 'red' : 'grey'}>{formatNumber(figures.dead_letters)}</Figure>
    </section>
  );
}
