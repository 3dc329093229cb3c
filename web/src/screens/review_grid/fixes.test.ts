import { describe, expect, it } from 'vitest';
import { noFixes, withFix, withoutLast } from './fixes';

describe('corrections that are not sent yet', () => {
  const three = withFix(withFix(withFix(noFixes, 7, 'Preis', '1', 'x'), 9, 'Preis', '2', 'y'), 7, 'Menge', '3', 'z');
  it('takes back the cell that was written last, whatever its row', () => {
    const two = withoutLast(three)!;
    expect([...two.cells]).toEqual([[7, { Preis: '1' }], [9, { Preis: '2' }]]);
    expect([...withoutLast(two)!.cells]).toEqual([[7, { Preis: '1' }]]);
  });
  it('gives back what was written before', () => {
    const again = withFix(three, 9, 'Preis', '4', 'y');
    expect(withoutLast(again)!.cells.get(9)).toEqual({ Preis: '2' });
  });
  it('does not send what the file says', () => {
    const back = withFix(three, 9, 'Preis', 'y', 'y');
    expect(back.cells.has(9)).toBe(false);
    expect(withoutLast(back)!.cells.get(9)).toEqual({ Preis: '2' });
    expect(withFix(noFixes, 1, 'Preis', 'y', 'y')).toBe(noFixes);
  });
  it('has nothing to take back at the beginning', () => {
    expect(withoutLast(noFixes)).toBeNull();
  });
});
