import { describe, expect, it } from 'vitest';
import { areasOf, linesOf, roundUp, stacked } from './chart_points';

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
  it('puts layers one upon the other and keeps gaps', () => {
    expect(stacked([[1, 2, null], [3, 0, 5]])).toEqual([[1, 2, null], [4, 2, null]]);
    expect(stacked([])).toEqual([]);
    expect(areasOf([0, 1], [2, 2], 2, 10, 10)).toEqual(['M0,1L10,1L10,6L0,11Z']);
    expect(areasOf([0, 0, 0], [1, null, 1], 2, 10, 10)).toHaveLength(2);
  });
  it('has round axes that are high enough', () => {
    for (const value of [0, 1, 2, 7, 13, 149, 151, 298_400]) expect(roundUp(value)).toBeGreaterThanOrEqual(value);
    expect(roundUp(298_400)).toBe(300_000);
  });
});
