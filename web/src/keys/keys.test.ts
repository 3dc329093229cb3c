import { describe, expect, it } from 'vitest';
import { isPress, nameOf } from './keys';

const key = (name: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) =>
  nameOf({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

describe('names of keys', () => {
  it('takes Shift as part of a sign, and as a modifier of letters', () => {
    expect(key('?', { shiftKey: true })).toBe('?');
    expect(key('X', { shiftKey: true })).toBe('Shift+x');
  });
  it('takes Command for Ctrl', () => {
    expect(key('k', { metaKey: true })).toBe('Ctrl+k');
    expect(key('ArrowRight', { altKey: true })).toBe('Alt+ArrowRight');
  });
});

describe('keys that press what has the focus', () => {
  const inside = { closest: () => ({}) as Element };
  const outside = { closest: () => null };
  it('leaves Enter and the space bar to links and buttons', () => {
    expect(isPress('Enter', inside)).toBe(true);
    expect(isPress(' ', inside)).toBe(true);
    expect(isPress('Enter', outside)).toBe(false);
    expect(isPress('j', inside)).toBe(false);
    expect(isPress('Ctrl+Enter', inside)).toBe(false);
  });
});
