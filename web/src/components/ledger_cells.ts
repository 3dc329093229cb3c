/** Counts of an import's rows, as the server gives them. */
export interface LedgerRows {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  failed: number;
  skipped: number;
  unprocessed: number;
  removed?: number;
  /** rows of the file that deleted a stored one; only there where it is not 0 */
  deleted?: number;
  /** the counts are on their way: whether they add up cannot be said yet */
  open?: boolean;
}

type Word = 'read' | 'inFile' | 'inserted' | 'updated' | 'unchanged' | 'failed' | 'skipped' | 'toDo' | 'unprocessed' | 'deleted' | 'willDelete' | 'willInsert' | 'willUpdate';

export interface LedgerCell {
  state: string;
  word: Word;
  mark: string | null;
  count: number;
}

/**
 * The cells of the ledger in their order. `toDo` is what was read and has no outcome yet: the one number that is not reported but
 * left over, so it is only shown while work goes on; at the end the rows have to add up without it.
 */
export function ledgerOf(rows: LedgerRows, ahead: boolean, finished: boolean): { cells: LedgerCell[]; whole: number; sum: number; holds: boolean } {
  const cells: LedgerCell[] = [
    { state: 'all', word: ahead ? 'inFile' : 'read', mark: null, count: rows.read },
    { state: 'inserted', word: ahead ? 'willInsert' : 'inserted', mark: 'green', count: rows.inserted },
    { state: 'updated', word: ahead ? 'willUpdate' : 'updated', mark: 'blue', count: rows.updated },
    { state: 'unchanged', word: 'unchanged', mark: 'grey', count: rows.unchanged },
    { state: 'failed', word: 'failed', mark: 'red', count: rows.failed },
  ];
  if (rows.skipped > 0 || !ahead) cells.push({ state: 'skipped', word: 'skipped', mark: 'skip', count: rows.skipped });
  if (rows.deleted) cells.splice(3, 0, { state: 'deleted', word: ahead ? 'willDelete' : 'deleted', mark: 'violet', count: rows.deleted });
  const settled = (rows.deleted ?? 0) + rows.inserted + rows.updated + rows.unchanged + rows.failed + rows.skipped;
  const left = rows.read - settled;
  if (!finished && !ahead) cells.push({ state: 'unprocessed', word: 'toDo', mark: 'todo', count: Math.max(left, 0) });
  else if (rows.unprocessed > 0) cells.push({ state: 'unprocessed', word: 'unprocessed', mark: 'todo', count: rows.unprocessed });
  const sum = settled + (finished || ahead ? rows.unprocessed : Math.max(left, 0));
  return { cells, whole: rows.read, sum, holds: rows.open === true || sum === rows.read };
}
