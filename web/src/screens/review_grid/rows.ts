import type { Grid as GridPage } from '@/api/schema';

export type GridColumn = GridPage['columns'][number];
export type GridRow = GridPage['items'][number];
export type GridIssue = GridRow['issues'][number];

/** Which rows: as in the address of the page. */
export interface Filter {
  state: string;
  issue: string;
  column: string;
  /** in any cell */
  text: string;
}

export const kStates = ['all', 'inserted', 'updated', 'unchanged', 'failed', 'warning'] as const;

export function filterOf(search: URLSearchParams): Filter {
  return { state: search.get('state') || 'all', issue: search.get('issue') ?? '', column: search.get('column') ?? '', text: search.get('text') ?? '' };
}

export const isAll = (filter: Filter): boolean => filter.state === 'all' && !filter.issue && !filter.column && !filter.text;

/** As the server takes it: what is not said is left out. */
export function queryOf({ state, issue, column, text }: Filter): { state?: string; issue?: string; column?: string; q?: string } {
  return { ...(state !== 'all' ? { state } : {}), ...(issue ? { issue } : {}), ...(column ? { column } : {}), ...(text ? { q: text } : {}) };
}

export const isFailed = (row: GridRow): boolean => row.state === 'failed' || row.issues.some((issue) => issue.severity === 'error');

/** The issue of a cell that matters most. */
export function issueAt(row: GridRow, column: number): GridIssue | null {
  const found = row.issues.filter((issue) => issue.source === column);
  return found.find((issue) => issue.severity === 'error') ?? found[0] ?? null;
}

/** Old and new of a cell, as text of the database; null: it stays. */
export function changeAt(row: GridRow, column: GridColumn): [string | null, string | null] | null {
  if (row.change?.kind !== 'update') return null;
  for (const name of column.data) {
    const cell = row.change.cells[name];
    if (Array.isArray(cell)) return [cell[0] ?? null, cell[1] ?? null];
  }
  return null;
}

/** Columns of a row that have an issue, from left to right. */
export const issueColumns = (row: GridRow): number[] => [...new Set(row.issues.flatMap((issue) => (issue.source === null ? [] : [issue.source])))].sort((a, b) => a - b);

const kDay = /^(\d{4})-(\d{2})-(\d{2})$/;
const dayForms: ((year: string, month: string, day: string) => string)[] = [
  (year, month, day) => `${day}.${month}.${year}`,
  (year, month, day) => `${day}.${month}.${year.slice(2)}`,
  (year, month, day) => `${day}/${month}/${year}`,
  (year, month, day) => `${month}/${day}/${year}`,
  (year, month, day) => `${Number(month)}/${Number(day)}/${year}`,
  (year, month, day) => `${Number(day)}.${Number(month)}.${year}`,
];

/**
 * What is stored, written as the file writes its cells, so that old and new can be compared at a glance. Only where the new value
 * proves how the file writes: `now` is what the cell's text `text` was read as. Otherwise the stored text itself.
 */
export function asFileWrites(old: string, now: string | null, text: string): string {
  if (now === null || now === text) return old;
  const comma = (value: string) => value.replace('.', ',');
  if (/^-?\d+(\.\d+)?$/.test(old) && /^-?\d+(\.\d+)?$/.test(now)) {
    // A database pads decimals with zeros up to the scale of the column; the file does not.
    const places = /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
    const cut = (value: string) => {
      const [whole, part = ''] = value.split('.');
      const kept = part.replace(/0+$/, '').padEnd(places, '0');
      return kept ? `${whole}.${kept}` : whole!;
    };
    const [was, is] = [cut(old), cut(now)];
    if (text.includes(',') && comma(is) === text) return comma(was);
    if (is === text) return was;
    const sign = /^([^\d-]+)(.*)$/.exec(text);
    if (sign && sign[2] === is) return sign[1] + was;
    return old;
  }
  const [oldDay, nowDay] = [kDay.exec(old), kDay.exec(now)];
  if (!oldDay || !nowDay) return old;
  const form = dayForms.find((one) => one(nowDay[1]!, nowDay[2]!, nowDay[3]!) === text);
  return form ? form(oldDay[1]!, oldDay[2]!, oldDay[3]!) : old;
}

const kNumber = /^[-+(]?\s?(?:[$€£¥]|[A-Z]{3}\s)?\s?(?:\d{1,3}(?:[.,' \u00a0]\d{3})+|\d+)(?:[.,]\d+)?\s?(?:[$€£¥%)]|[A-Z]{3})?$/;
const kIdentifier = /^0\d/;

/** Whether a column of texts is one of numbers, which stand right-aligned; identifiers with leading zeros are not. */
export function looksNumeric(values: string[]): boolean {
  const filled = values.filter((value) => value.trim() !== '');
  if (filled.length === 0) return false;
  const numbers = filled.filter((value) => kNumber.test(value.trim()) && !kIdentifier.test(value.trim()));
  return numbers.length >= filled.length * 0.9;
}

const kNarrowest = 52;
const kWidest = 260;

/** Wide enough for what the first rows have, old values included, within limits. */
export function widthOf(column: GridColumn, at: number, rows: GridRow[]): number {
  let longest = column.source.length + 1;
  for (const row of rows) {
    const change = changeAt(row, column);
    longest = Math.max(longest, (row.values[at]?.length ?? 0) + (change?.[0] ? change[0].length + 1 : 0));
  }
  return Math.round(Math.min(Math.max(longest * 7.6 + 20, kNarrowest), kWidest));
}
