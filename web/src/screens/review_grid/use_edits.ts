import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { call } from '@/api/client';
import { isCallError } from '@/api/problem';
import { serverNow } from '@/api/server_time';
import { keyOf } from '@/api/use_call';
import type { Grid as GridPage } from '@/api/schema';
import { noFixes, withFix, withoutLast } from './fixes';
import type { GridColumn, GridRow } from './rows';
import { freshRow } from './use_pages';

export type EditMode = 'review' | 'fix' | 'none';

export interface Refusal {
  text: string;
  message: string;
  /** what somebody else wrote there meanwhile */
  theirs?: string;
}

interface Done {
  /** names it in the list */
  id: number;
  row: number;
  source: string;
  before: string;
  after: string;
}

export const cellKey = (row: number, source: string): string => `${row} ${source}`;

interface Given {
  id: string;
  mode: EditMode;
  columns: GridColumn[];
  putRow: (row: GridRow) => void;
  /** an edit was taken; the import has a new revision */
  onEdited: (row: GridRow | null, revision: number) => void;
}

/**
 * Edits of cells. While an import waits for review each goes to the server at once, one after the other, and the re-checked row comes
 * back; after its end corrections of failed rows are collected and sent together.
 */
export function useEdits({ id, mode, columns, putRow, onEdited }: Given) {
  const client = useQueryClient();
  const [pending, setPending] = useState<ReadonlyMap<string, string>>(new Map());
  const [refused, setRefused] = useState<ReadonlyMap<string, Refusal>>(new Map());
  const [fixes, setFixes] = useState(noFixes);
  const [done, setDone] = useState<Done[]>([]);
  const [undoing, setUndoing] = useState<ReadonlySet<number>>(new Set());
  const [checkedAt, setCheckedAt] = useState<number | null>(null);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const numbers = useRef(0);
  // The revision that the rows on this page are of: the first one read, then those of own answers. What a stream says of others is not taken
  // over, for the server would then let an edit of an old row pass.
  const revision = useRef<number | null>(null);
  // Once somebody else has edited too, a row here may be older than the revision: it is read anew before each edit.
  const others = useRef(false);

  const without = <T,>(map: ReadonlyMap<string, T>, key: string) => {
    const next = new Map(map);
    next.delete(key);
    return next;
  };
  const forget = useCallback((row: number, source: string) => setRefused((map) => without(map, cellKey(row, source))), []);

  const send = useCallback(
    async (row: GridRow, at: number, text: string, before: string, remember: boolean): Promise<boolean> => {
      const column = columns[at]!;
      const key = cellKey(row.row, column.source);
      const path = { import: id, row: String(row.row) };
      const write = () => call('imports.correct_row', { path, body: { values: { [column.source]: text }, ...(revision.current !== null ? { revision: revision.current } : {}) } });
      /** What somebody else wrote into this cell meanwhile; null: it stands as it was seen here. */
      const look = async (): Promise<string | null> => {
        const now = await freshRow(id, row.row);
        if (now.row) putRow(now.row);
        revision.current = now.page.revision;
        const theirs = now.row?.values[at] ?? '';
        return theirs !== before && theirs !== text ? theirs : null;
      };
      const leaveToThem = (theirs: string): false => {
        setRefused((map) => new Map(map).set(key, { text, message: '', theirs }));
        return false;
      };
      setPending((map) => new Map(map).set(key, text));
      setRefused((map) => without(map, key));
      try {
        if (others.current) {
          const theirs = await look();
          if (theirs !== null) return leaveToThem(theirs);
        }
        let answer;
        try {
          answer = await write();
        } catch (error) {
          if (!isCallError(error) || error.status !== 412) throw error;
          // Somebody else edited meanwhile: only if it was this cell there is something to decide.
          others.current = true;
          const theirs = await look();
          if (theirs !== null) return leaveToThem(theirs);
          answer = await write();
        }
        revision.current = answer.revision;
        const now = await freshRow(id, row.row);
        if (now.row) putRow(now.row);
        if (remember && before !== text) setDone((list) => [...list, { id: (numbers.current += 1), row: row.row, source: column.source, before, after: text }]);
        setCheckedAt(serverNow());
        onEdited(now.row, answer.revision);
        void client.invalidateQueries({ queryKey: keyOf('imports.show', { path: { import: id } }) });
        return true;
      } catch (error) {
        setRefused((map) => new Map(map).set(key, { text, message: wordsOf(error) }));
        return false;
      } finally {
        setPending((map) => without(map, key));
      }
    },
    [client, columns, id, onEdited, putRow],
  );

  /** The rows are on the page: from now on they are what edits are made for. */
  const begin = useCallback(() => {
    revision.current ??= oldestRevision(client.getQueriesData<GridPage>({ queryKey: ['imports.grid', { import: id }] }));
  }, [client, id]);

  /** Takes an edit of the cell as it was seen; true: it was taken. */
  const commit = useCallback(
    (row: GridRow, at: number, text: string): Promise<boolean> => {
      const column = columns[at]!;
      const original = row.values[at] ?? '';
      if (mode === 'fix') setFixes((now) => withFix(now, row.row, column.source, text, original));
      const before = pending.get(cellKey(row.row, column.source)) ?? original;
      if (mode !== 'review' || before === text) {
        forget(row.row, column.source);
        return Promise.resolve(true);
      }
      const next = queue.current.then(() => send(row, at, text, before, true));
      queue.current = next;
      return next;
    },
    [columns, forget, mode, pending, send],
  );

  /** Takes one of one's own edits back; the last one when none is named. Throws what kept it from being read. */
  const undo = useCallback(
    async (which?: number): Promise<boolean> => {
      if (mode === 'fix') {
        const before = withoutLast(fixes);
        if (before) setFixes(before);
        return before !== null;
      }
      const edit = which === undefined ? done.findLast((one) => !undoing.has(one.id)) : done.find((one) => one.id === which);
      const column = columns.findIndex((one) => one.source === edit?.source);
      if (!edit || column < 0 || undoing.has(edit.id)) return false;
      setUndoing((set) => new Set(set).add(edit.id));
      try {
        const next = queue.current.then(async () => {
          const { row } = await freshRow(id, edit.row);
          return row !== null && (await send(row, column, edit.before, row.values[column] ?? '', false));
        });
        queue.current = next.catch(() => undefined);
        if (!(await next)) return false;
        setDone((list) => list.filter((one) => one.id !== edit.id));
        return true;
      } finally {
        setUndoing((set) => new Set([...set].filter((one) => one !== edit.id)));
      }
    },
    [columns, done, fixes, id, mode, send, undoing],
  );

  const clearFixes = useCallback(() => setFixes(noFixes), []);
  /** A bulk change of one's own made this revision; the rows are read anew. */
  const sawRevision = useCallback((seen: number) => {
    revision.current = seen;
  }, []);
  return { pending, refused, fixes: fixes.cells, done, undoing, checkedAt, begin, commit, undo, forget, clearFixes, sawRevision };
}

export type Edits = ReturnType<typeof useEdits>;

/** Of what this page has read: the server compares an edit with the oldest row that it may be made for. */
function oldestRevision(pages: [unknown, GridPage | undefined][]): number | null {
  const revisions = pages.flatMap(([, page]) => (page ? [page.revision] : []));
  return revisions.length > 0 ? Math.min(...revisions) : null;
}

/** What was refused, and what helps. */
export const wordsOf = (error: unknown): string => (isCallError(error) ? [error.problem.detail, error.problem.hint].filter(Boolean).join('. ') : String(error));
