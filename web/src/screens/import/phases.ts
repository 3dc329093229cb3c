import type { Import, ImportSeries, TaskMap } from '@/api/schema';
import type { Phase, PhaseName } from '@/components/phase_bar';
import { formatBytes, formatNumber, wholePercent } from '@/format/numbers';
import { formatClock, formatDuration } from '@/format/times';
import { t } from '@/strings/import_page';
import { settledRows } from './counts';

export interface Pace {
  rate: number;
  steady: boolean;
}

const order: PhaseName[] = ['upload', 'plan', 'analyse', 'settle', 'review', 'process', 'finalise'];

const isPhase = (name: string): name is PhaseName => (order as string[]).includes(name);

type Times = ImportSeries['phases'][number] | undefined;

/** In which phase an import is, or in which it ended. */
export function phaseOf(job: Import, metrics?: ImportSeries): PhaseName {
  const begun = metrics?.phases.findLast((one) => one.started_at !== null && one.finished_at === null)?.phase;
  if (job.state === 'waiting_for_upload') return 'upload';
  if (job.state === 'upload_completed' || job.state === 'preparing_data') return 'plan';
  if (job.state === 'analysing_data') return begun === 'settle' || (job.rows_total !== null && job.rows_analysed >= job.rows_total) ? 'settle' : 'analyse';
  if (job.state === 'waiting_for_review') return 'review';
  if (job.state === 'approved' || job.state === 'processing_data') return begun === 'finalise' ? 'finalise' : 'process';
  if (job.state === 'rejected') return 'finalise';
  const last = metrics?.phases.findLast((one) => one.started_at !== null)?.phase;
  if (last && isPhase(last)) return last;
  if (job.rows_total === null) return 'plan';
  return job.rows_analysed < job.rows_total ? 'analyse' : 'process';
}

const taken = (times: Times): string | null =>
  times?.started_at && times.finished_at ? formatDuration(Date.parse(times.finished_at) - Date.parse(times.started_at)) : null;

function rateOver(times: Times, rows: number): string | null {
  if (!times?.started_at || !times.finished_at) return null;
  const seconds = (Date.parse(times.finished_at) - Date.parse(times.started_at)) / 1000;
  return seconds > 0 && rows > 0 ? t('perSecond', { count: Math.round(rows / seconds) }) : null;
}

function going(done: number, total: number | null, pace: Pace | null): [number, (string | null)[]] {
  const first = total ? t('rowsOf', { percent: wholePercent(done, total), count: total }) : t('rowsSoFar', { count: done });
  if (!pace || pace.rate <= 0) return [total ? done / total : 0, [first, null]];
  const rate = Math.round(pace.rate);
  const second = pace.steady && total ? t('left', { count: rate, time: formatDuration(Math.max(((total - done) / pace.rate) * 1000, 1000)) }) : t('estimating', { count: rate });
  return [total ? done / total : 0, [first, second]];
}

interface Known {
  metrics: ImportSeries | undefined;
  map: TaskMap | undefined;
  pace: Pace | null;
}

/** Two lines below a phase: how long and a fact when it is done, how far when it is on. */
function factsOf(name: PhaseName, state: Phase['state'], job: Import, { metrics, map, pace }: Known): { share: number; facts: (string | null)[] } {
  const times = metrics?.phases.find((one) => one.phase === name);
  const chunks = (map?.chunks.length ?? 0) * (map?.group_size ?? 1);
  const buckets = (map?.buckets.length ?? 0) * (map?.group_size ?? 1);
  if (state === 'waiting') return { share: 0, facts: [null, null] };
  if (name === 'review') {
    if (state === 'now') return { share: 1, facts: [times?.started_at ? t('waitsSince', { time: formatClock(times.started_at) }) : null, null] };
    return { share: 1, facts: [job.reviewed_at ? t('approvedAt', { time: formatClock(job.reviewed_at) }) : taken(times), job.reviewed_by] };
  }
  if (state === 'now') {
    if (name === 'analyse') {
      const [share, facts] = going(job.rows_analysed, job.rows_total, pace);
      return { share, facts };
    }
    if (name === 'process') {
      const [share, facts] = going(settledRows(job), job.rows_total, pace);
      return { share, facts };
    }
    return { share: 0.5, facts: [null, null] };
  }
  if (name === 'upload') return { share: 1, facts: [formatBytes(job.file_bytes), null] };
  const fact = name === 'plan' && chunks > 0 ? t('chunks', { count: chunks })
    : name === 'settle' && buckets > 0 ? t('buckets', { count: buckets })
    : name === 'analyse' ? rateOver(times, job.rows_analysed)
    : name === 'process' ? rateOver(times, settledRows(job))
    : null;
  return { share: 1, facts: [taken(times), fact] };
}

/** The phases of an import; those that it skips are absent. */
export function phasesOf(job: Import, known: Known): Phase[] {
  const now = phaseOf(job, known.metrics);
  const at = order.indexOf(now);
  const ended = job.state === 'finished';
  const good = job.status === 'succeeded' || job.status === 'undone';
  const reviewed = job.reviewed_at !== null || job.status === 'waiting_for_review' || job.status === 'rejected';
  return order
    .filter((name) => name !== 'review' || reviewed)
    .filter((name) => !(job.status === 'rejected' && name === 'process'))
    .map((name) => {
      const place = order.indexOf(name);
      const state = (ended && good) || place < at ? 'done' : place === at && !ended ? 'now' : 'waiting';
      return { name, state, ...factsOf(name, state, job, known) } satisfies Phase;
    });
}

/** What people hear, at most every ten seconds. */
export const spoken = (job: Import, phase: string): string => t('liveSaid', { phase, percent: job.progress, failed: formatNumber(job.rows.failed) });
