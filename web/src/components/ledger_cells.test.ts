import { describe, expect, it } from 'vitest';
import { ledgerOf } from './ledger_cells';

const rows = { read: 100, inserted: 10, updated: 20, unchanged: 30, failed: 5, skipped: 5, unprocessed: 0 };

describe('the ledger', () => {
  it('has what is still to do while work goes on', () => {
    const { cells, holds } = ledgerOf(rows, false, false);
    expect(cells.at(-1)).toMatchObject({ word: 'toDo', count: 30 });
    expect(holds).toBe(true);
  });
  it('says at the end that the sum does not hold', () => {
    expect(ledgerOf(rows, false, true)).toMatchObject({ holds: false, sum: 70 });
    expect(ledgerOf({ ...rows, unprocessed: 30 }, false, true).holds).toBe(true);
  });
  it('says what will happen before it does', () => {
    const words = ledgerOf({ ...rows, read: 70 }, true, false).cells.map((cell) => cell.word);
    expect(words).toEqual(['inFile', 'willInsert', 'willUpdate', 'unchanged', 'failed', 'skipped']);
  });
  it('says nothing about counts that are on their way', () => {
    const rows = { read: 60, inserted: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0, unprocessed: 0 };
    expect(ledgerOf(rows, true, false).holds).toBe(false);
    expect(ledgerOf({ ...rows, open: true }, true, false).holds).toBe(true);
  });
});
