import type { LedgerRows } from '@/components/ledger_cells';
import type { Import } from '@/api/schema';

/** Whether the numbers of an import say what will happen: it was compared and nobody has decided yet. */
export const isAhead = (job: Import): boolean => job.status === 'waiting_for_review';

/** The ledger of an import: before a decision what the comparison found, afterwards what was committed. */
export function ledgerRows(job: Import): LedgerRows {
  const found = isAhead(job) ? job.comparison : null;
  if (!found) return { ...job.rows, read: job.rows.read || job.rows_analysed || 0, ...(isAhead(job) ? { open: true } : {}) };
  const sum = found.insert + found.update + found.delete + found.unchanged + found.skip + found.fail;
  return {
    read: job.rows_total ?? sum,
    inserted: found.insert,
    updated: found.update,
    deleted: found.delete,
    unchanged: found.unchanged,
    failed: found.fail,
    skipped: found.skip,
    unprocessed: 0,
    removed: found.remove,
  };
}

/** Rows with an outcome. */
export const settledRows = (job: Import): number =>
  job.rows.inserted + job.rows.updated + job.rows.unchanged + job.rows.failed + job.rows.skipped + job.rows.deleted;

/** Rows that are in the database because of it. */
export const writtenRows = (job: Import): number => job.rows.inserted + job.rows.updated + job.rows.deleted;
