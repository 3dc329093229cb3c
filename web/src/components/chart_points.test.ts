import { describe, expect, it } from 'vitest';
import { linesOf, roundUp } from './chart_points';

describe('points of a chart', () => {
  it('leaves gaps where nothing was measured', () => {
    const lines = linesOf([1, 2, null, 2, null], 2, 40, 10);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toEqual({ from: 0, to: 10, path: 'M0,6L10,1' });
    expect(lines[1]!.from).toBe(30);
  });
  it('keeps what is too high inside', () => {
    expect(linesOf([9], 3, 10, 10)[0]!.path).toBe('M0,1');
  });
  it('has round axes that are high enough', () => {
    for (const value of [0, 1, 2, 7, 13, 149, 151, 298_400]) expect(roundUp(value)).toBeGreaterThanOrEqual(value);
    expect(roundUp(298_400)).toBe(300_000);
  });
});
