import { useRef } from 'react';
import type { ShownColumn } from './grid_row';
import { issueAt, looksNumeric, widthOf, type GridColumn, type GridRow } from './rows';

const kNone: ShownColumn[] = [];

/** Columns with their widths, found once from the first rows so that nothing moves afterwards. */
export function useShown(columns: GridColumn[] | undefined, rows: GridRow[] | undefined): ShownColumn[] {
  const kept = useRef<{ of: string; shown: ShownColumn[] }>({ of: '', shown: kNone });
  if (!columns || !rows) return kept.current.shown;
  const of = columns.map((column) => column.source).join('\n');
  if (kept.current.of !== of || (kept.current.shown.length > 0 && rows.length > 0 && !kept.current.shown[0]))
    kept.current = { of, shown: columns.map((column, at) => ({ column, at, width: widthOf(column, at, rows), numeric: looksNumeric(rows.map((row) => (issueAt(row, at) ? '' : (row.values[at] ?? '')))) })) };
  return kept.current.shown;
}
