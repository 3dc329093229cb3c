import type { ImportSeries } from '@/api/schema';

export interface Rates {
  /** seconds since 1970 */
  times: number[];
  perSecond: number[];
}

/** Rows a second from totals: both phases together, since only one of them runs at a time. */
export function ratesOf(metrics: ImportSeries): Rates {
  const start = Date.parse(metrics.from ?? metrics.server_time) / 1000;
  const times: number[] = [];
  const perSecond: number[] = [];
  let before: number[] | undefined;
  for (const point of metrics.points) {
    const [second = 0, analysed = 0, loaded = 0] = point;
    if (before) {
      const passed = Math.max(second - before[0]!, 1e-3);
      times.push(start + second);
      perSecond.push(Math.max((analysed - before[1]! + loaded - before[2]!) / passed, 0));
    }
    before = [second, analysed, loaded];
  }
  return { times, perSecond };
}

const kSteps = [1, 1.5, 2, 3, 4.5, 6, 9, 12];

/** The top of an axis that grows in steps. */
export function niceTop(value: number): number {
  if (value <= 0) return 3;
  const magnitude = 10 ** Math.floor(Math.log10(value));
  for (const step of kSteps) if (step * magnitude >= value) return step * magnitude;
  return 12 * magnitude;
}
