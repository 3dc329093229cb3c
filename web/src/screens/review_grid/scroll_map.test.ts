import { describe, expect, it } from 'vitest';
import { kMappedFrom, scrollMap } from './scroll_map';

describe('scrollMap', () => {
  it('leaves short lists as they are', () => {
    const map = scrollMap(1000, 28, 560);
    expect(map.mapped).toBe(false);
    expect(map.height).toBe(28_000);
    expect(map.toOffset(140)).toBe(140);
    expect(map.toTop(140)).toBe(140);
  });

  it('reaches the first and the last row of a list that no browser can hold', () => {
    const map = scrollMap(40_000_000, 28, 560);
    expect(map.mapped).toBe(true);
    expect(map.height).toBe(kMappedFrom * 28);
    expect(map.toOffset(0)).toBe(0);
    expect(map.toOffset(map.height - 560)).toBe(40_000_000 * 28 - 560);
    expect(map.toTop(map.furthest)).toBe(map.height - 560);
  });

  it('is undone by its opposite', () => {
    const map = scrollMap(1_000_000, 28, 600);
    for (const offset of [0, 28, 13_999_999, 27_000_000]) expect(map.toOffset(map.toTop(offset))).toBeCloseTo(offset, 3);
  });

  it('stays at the top when everything fits', () => {
    const map = scrollMap(3, 28, 560);
    expect(map.furthest).toBe(0);
    expect(map.toOffset(50)).toBe(0);
  });
});
