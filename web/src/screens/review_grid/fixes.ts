/** Corrections of failed rows that are collected to be sent together, and the way back: one cell after the other, the last one first. */
export interface Fixes {
  cells: ReadonlyMap<number, Record<string, string>>;
  /** what stood in the cell before each of them; undefined: what the file says */
  log: readonly { row: number; source: string; before: string | undefined }[];
}

export const noFixes: Fixes = { cells: new Map(), log: [] };

function put(cells: Fixes['cells'], row: number, source: string, text: string | undefined): Fixes['cells'] {
  const { [source]: _, ...others } = cells.get(row) ?? {};
  const next = text === undefined ? others : { ...others, [source]: text };
  const after = new Map(cells);
  if (Object.keys(next).length > 0) after.set(row, next);
  else after.delete(row);
  return after;
}

/** Writes a cell; what the file says anyway is no correction. */
export function withFix(fixes: Fixes, row: number, source: string, text: string, original: string): Fixes {
  const before = fixes.cells.get(row)?.[source];
  const wanted = text === original ? undefined : text;
  if (before === wanted) return fixes;
  return { cells: put(fixes.cells, row, source, wanted), log: [...fixes.log, { row, source, before }] };
}

/** Takes the last one back; null: there is none. */
export function withoutLast(fixes: Fixes): Fixes | null {
  const last = fixes.log.at(-1);
  return last ? { cells: put(fixes.cells, last.row, last.source, last.before), log: fixes.log.slice(0, -1) } : null;
}
