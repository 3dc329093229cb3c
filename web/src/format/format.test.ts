import { describe, expect, it } from 'vitest';
import { initials, visible } from './cells';
import { formatBytes, formatShare, formatShort, wholePercent } from './numbers';
import { formatAge, formatDuration } from './times';

describe('numbers', () => {
  it('never says 0 of something, nor 100 before the end', () => {
    expect(formatShare(11264, 41806233)).toBe('0.03 %');
    expect(formatShare(1, 41806233)).toBe('< 0.01 %');
    expect(wholePercent(1, 1e9)).toBe(1);
    expect(wholePercent(1e9 - 1, 1e9)).toBe(99);
    expect(wholePercent(5, 5)).toBe(100);
  });
  it('is short where there is little room', () => {
    expect(formatShort(152400)).toBe('152k');
    expect(formatShort(1_200_000)).toBe('1.2M');
    expect(formatBytes(9_400_000)).toBe('9.4 MB');
    expect(formatBytes(812)).toBe('812 B');
  });
});

describe('times', () => {
  it('has two units at most', () => {
    expect(formatDuration(107_000)).toBe('1 min 47 s');
    expect(formatDuration(41)).toBe('41 ms');
    expect(formatDuration(3_600_000)).toBe('1 h');
    expect(formatDuration(59_999)).toBe('1 min');
  });
  it('counts ages by the given clock', () => {
    const now = Date.parse('2026-11-18T10:00:00Z');
    expect(formatAge('2026-11-18T09:57:00Z', now)).toBe('3 min');
    expect(formatAge('2026-11-18T10:00:30Z', now)).toBe('now');
  });
});

describe('values of files', () => {
  it('shows what cannot be seen', () => {
    expect(visible('\ta\n\u0000b ')).toBe('␉a␊␀b·');
    expect(visible('<b>')).toBe('<b>');
  });
  it('shortens names', () => {
    expect(initials('Jana Brandt')).toBe('JB');
    expect(initials('jana.brandt@example.com')).toBe('JB');
    expect(initials('admin')).toBe('AD');
  });
});
