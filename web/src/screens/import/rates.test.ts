import { describe, expect, it } from 'vitest';
import { niceTop, ratesOf } from './rates';
import { paceOf } from './use_import';

describe('ratesOf', () => {
  it('makes rates of totals', () => {
    const rates = ratesOf({ step_seconds: 1, from: '2026-11-18T10:00:00Z', points: [[0, 0, 0, 0], [1, 100, 0, 0], [3, 500, 0, 0], [4, 500, 50, 1]], phases: [], server_time: '' });
    expect(rates.perSecond).toEqual([100, 200, 50]);
    expect(rates.times[0]).toBe(Date.parse('2026-11-18T10:00:01Z') / 1000);
  });
  it('never shows less than nothing when an import begins anew', () => expect(ratesOf({ step_seconds: 1, from: '2026-11-18T10:00:00Z', points: [[0, 500, 0, 0], [1, 0, 0, 0]], phases: [], server_time: '' }).perSecond).toEqual([0]));
});

describe('niceTop', () => {
  it('is never below the value and grows in steps', () => {
    for (const value of [1, 149, 151, 299_000, 401_983, 999_999]) expect(niceTop(value)).toBeGreaterThanOrEqual(value);
    expect(niceTop(401_983)).toBe(450_000);
    expect(niceTop(0)).toBe(3);
  });
});

describe('paceOf', () => {
  const every = (rows: number[]) => rows.map((count, at) => ({ at: at * 1000, rows: count }));
  it('does not estimate in the first five seconds', () => expect(paceOf(every([0, 100, 200]))).toEqual({ rate: 100, steady: false }));
  it('trusts a steady pace', () => expect(paceOf(every([0, 100, 200, 300, 400, 500, 600]))).toEqual({ rate: 100, steady: true }));
  it('does not trust one that varies by more than half', () => expect(paceOf(every([0, 10, 20, 30, 300, 600, 900]))?.steady).toBe(false));
  it('knows nothing from one sample', () => expect(paceOf(every([7]))).toBeNull());
});
