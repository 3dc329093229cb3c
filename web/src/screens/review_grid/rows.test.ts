import { describe, expect, it } from 'vitest';
import { asFileWrites, changeAt, issueAt, issueColumns, looksNumeric, type GridRow } from './rows';

const row = (part: Partial<GridRow>): GridRow => ({ row: 1, line: 2, index: 0, state: 'updated', values: [], edited: [], issues: [], change: null, ...part });
const issue = (part: object) => ({ severity: 'error' as const, code: 'x', column: 'price', source: 1, value: '', message: '', hint: '', ...part });

describe('asFileWrites', () => {
  it('writes old numbers with the comma that the new one proves', () => expect(asFileWrites('12.40', '12.95', '12,95')).toBe('12,40'));
  it('writes old days as the new one is written', () => {
    expect(asFileWrites('2026-05-01', '2026-11-01', '01.11.26')).toBe('01.05.26');
    expect(asFileWrites('2026-05-01', '2026-11-01', '11/1/2026')).toBe('5/1/2026');
  });
  it('leaves out zeros that only the database writes', () => {
    expect(asFileWrites('15.7500', '17.7500', '17,75')).toBe('15,75');
    expect(asFileWrites('2.1250', '5.0000', '5,00')).toBe('2,125');
    expect(asFileWrites('15.5000', '17.0000', '17')).toBe('15.5');
  });
  it('keeps a sign of currency', () => expect(asFileWrites('2.87', '2.99', '$2.99')).toBe('$2.87'));
  it('leaves what nothing proves', () => {
    expect(asFileWrites('12.40', '1295', '12,95')).toBe('12.40');
    expect(asFileWrites('Fächersch.', 'Fächerscheibe', 'Fächerscheibe')).toBe('Fächersch.');
  });
});

describe('looksNumeric', () => {
  it('knows numbers in several notations', () => expect(looksNumeric(['12,95', '1.204,50', '$2.87', '(12.50)', ''])).toBe(true));
  it('does not take identifiers and days for numbers', () => {
    expect(looksNumeric(['0048201', '0048202'])).toBe(false);
    expect(looksNumeric(['01.05.26', '01.11.26'])).toBe(false);
    expect(looksNumeric([])).toBe(false);
  });
});

describe('cells', () => {
  const column = { source: 'EK netto', data: ['net_price'], sensitive: false, key: false };
  it('finds the change of a cell by the data column', () => {
    expect(changeAt(row({ change: { kind: 'update', cells: { net_price: ['12.40', '12.95'] } } }), column)).toEqual(['12.40', '12.95']);
    expect(changeAt(row({ change: { kind: 'insert', cells: { net_price: [null, '1'] } } }), column)).toBeNull();
  });
  it('prefers errors to warnings', () => {
    const both = row({ issues: [issue({ severity: 'warning', code: 'w' }), issue({ code: 'e' })] });
    expect(issueAt(both, 1)?.code).toBe('e');
    expect(issueAt(both, 2)).toBeNull();
  });
  it('lists the columns with issues once, from left to right', () => expect(issueColumns(row({ issues: [issue({ source: 3 }), issue({}), issue({ source: null }), issue({ source: 3 })] }))).toEqual([1, 3]));
});
