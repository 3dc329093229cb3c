import { describe, expect, it } from 'vitest';
import type { Import } from '@/api/schema';
import { ledgerRows } from './counts';
import { phaseOf, phasesOf } from './phases';
import { consequencesOf } from './undo_dialog';
import { merged } from './use_import';

const rows = { read: 0, inserted: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0, unprocessed: 0, deleted: 0, removed: 0 };
const job = (part: Partial<Import>): Import => ({ status: 'running', state: 'processing_data', rows_total: 100, rows_analysed: 100, rows, file_bytes: 10, reviewed_at: null, reviewed_by: null, revision: 1, ...part }) as Import;
const known = { metrics: undefined, map: undefined, pace: null };
const names = (one: Import) => phasesOf(one, known).map((phase) => `${phase.name} ${phase.state}`);

describe('phases', () => {
  it('leaves out a review that nobody asked for', () => expect(names(job({}))).toEqual(['upload done', 'plan done', 'analyse done', 'settle done', 'process now', 'finalise waiting']));
  it('shows a review while it waits', () => expect(names(job({ status: 'waiting_for_review', state: 'waiting_for_review' }))).toContain('review now'));
  it('is never done before the server says so', () => {
    const all = phasesOf(job({ rows: { ...rows, read: 100, inserted: 100 } }), known);
    expect(all.find((phase) => phase.name === 'process')?.state).toBe('now');
    expect(all.find((phase) => phase.name === 'finalise')?.state).toBe('waiting');
  });
  it('is done as a whole when it has succeeded', () => expect(names(job({ status: 'succeeded', state: 'finished' })).every((one) => one.endsWith('done'))).toBe(true));
  it('tells in which phase an import failed', () => expect(phaseOf(job({ status: 'failed', state: 'finished', rows_analysed: 20 }))).toBe('analyse'));
  it('says how far it is and how long it takes', () => {
    const facts = phasesOf(job({ rows: { ...rows, inserted: 61 } }), { ...known, pace: { rate: 13, steady: true } }).find((phase) => phase.name === 'process')?.facts;
    expect(facts).toEqual(['61 % of 100 rows', '13 rows/s, about 3 s left']);
  });
});

describe('an import', () => {
  it('counts what will happen before a decision, and what happened afterwards', () => {
    const comparison = { insert: 1, update: 2, delete: 0, unchanged: 3, skip: 0, fail: 4, remove: 5 };
    expect(ledgerRows(job({ status: 'waiting_for_review', rows_total: 10, comparison }))).toMatchObject({ read: 10, inserted: 1, updated: 2, failed: 4, removed: 5 });
    expect(ledgerRows(job({ status: 'succeeded', comparison, rows: { ...rows, read: 10, inserted: 6 } }))).toMatchObject({ read: 10, inserted: 6 });
  });
  it('does not keep numbers of an older revision', () => {
    const before = job({ comparison: { insert: 1, update: 0, delete: 0, unchanged: 0, skip: 0, fail: 0, remove: 0 } });
    expect(merged(before, job({ revision: 2 })).comparison).toBeUndefined();
    expect(merged(before, job({ progress: 3 })).comparison).toBeDefined();
  });
});

it('an undo says all its consequences', () =>
  expect(consequencesOf({ restored: 3861, removed: 1204, put_back: 0, left: 1, version: null, examples: [] })).toEqual(['1,204 inserted rows are removed', '3,861 updated rows get their old values back', '1 row was changed since and stays as it is']));
