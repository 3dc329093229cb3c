import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { call } from '@/api/client';
import { isCallError } from '@/api/problem';
import { serverNow } from '@/api/server_time';
import { keyOf } from '@/api/use_call';
import type { Grid as GridPage } from '@/api/schema';
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
  putRow: (row: GridRow, revision: number) => void;
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
  const [fixes, setFixes] = useState<ReadonlyMap<number, Record<string, string>>>(new Map());
  const [done, setDone] = useState<Done[]>([]);
  const [checkedAt, setCheckedAt] = useState<number | null>(null);
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const revision = useRef<number | null>(null);

  const without = <T,>(map: ReadonlyMap<string, T>, key: string) => {
    const next = new Map(map);
    next.delete(key);
    return next;
  };

  const send = useCallback(
    async (row: GridRow, at: number, text: string, remember: boolean): Promise<boolean> => {
      const column = columns[at]!;
      const key = cellKey(row.row, column.source);
      const before = row.values[at] ?? '';
      setPending((map) => new Map(map).set(key, text));
      setRefused((map) => without(map, key));
      try {
        const known = revision.current ?? newestRevision(client.getQueriesData<GridPage>({ queryKey: ['imports.grid', { import: id }] }));
        let answer;
        try {
          answer = await call('imports.correct_row', { path: { import: id, row: String(row.row) }, body: { values: { [column.source]: text }, ...(known !== null ? { revision: known } : {}) } });
        } catch (error) {
          if (!isCallError(error) || error.status !== 412) throw error;
          // Somebody else edited meanwhile: only if it was this cell there is something to decide.
          const now = await freshRow(id, row.row);
          const theirs = now.row?.values[at] ?? '';
          if (now.row) putRow(now.row, now.page.revision);
          revision.current = now.page.revision;
          if (theirs !== before && theirs !== text) {
            setRefused((map) => new Map(map).set(key, { text, message: '', theirs }));
            return false;
          }
          answer = await call('imports.correct_row', { path: { import: id, row: String(row.row) }, body: { values: { [column.source]: text }, revision: now.page.revision } });
        }
        revision.current = answer.revision;
        const now = await freshRow(id, row.row);
        if (now.row) putRow(now.row, now.page.revision);
        if (remember && before !== text) setDone((list) => [...list, { row: row.row, source: column.source, before, after: text }]);
        setCheckedAt(serverNow());
        onEdited(now.row, answer.revision);
        void client.invalidateQueries({ queryKey: keyOf('imports.show', { path: { import: id } }) });
        return true;
      } catch (error) {
        const message = isCallError(error) ? [error.problem.detail, error.problem.hint].filter(Boolean).join('. ') : String(error);
        setRefused((map) => new Map(map).set(key, { text, message }));
        return false;
      } finally {
        setPending((map) => without(map, key));
      }
    },
    [client, columns, id, onEdited, putRow],
  );

  /** Takes an edit; true: it was taken. */
  const commit = useCallback(
    (row: GridRow, at: number, text: string): Promise<boolean> => {
      const column = columns[at]!;
      if (mode === 'none' || (row.values[at] ?? '') === text) return Promise.resolve(true);
      if (mode === 'fix') {
        setFixes((map) => new Map(map).set(row.row, { ...map.get(row.row), [column.source]: text }));
        return Promise.resolve(true);
      }
      const next = queue.current.then(() => send(row, at, text, true));
      queue.current = next;
      return next;
    },
    [columns, mode, send],
  );

  /** Takes one of one's own edits back; the last one when none is named. */
  const undo = useCallback(
    async (which?: number): Promise<boolean> => {
      if (mode === 'fix') {
        const last = [...fixes.keys()].at(-1);
        if (last === undefined) return false;
        setFixes((map) => {
          const next = new Map(map);
          next.delete(last);
          return next;
        });
        return true;
      }
      const at = which ?? done.length - 1;
      const edit = done[at];
      if (!edit) return false;
      const column = columns.findIndex((one) => one.source === edit.source);
      const { row } = await freshRow(id, edit.row);
      if (!row || column < 0) return false;
      const next = queue.current.then(() => send(row, column, edit.before, false));
      queue.current = next;
      if (!(await next)) return false;
      setDone((list) => list.filter((_, index) => index !== at));
      return true;
    },
    [columns, done, fixes, id, mode, send],
  );

  const forget = useCallback((row: number, source: string) => setRefused((map) => without(map, cellKey(row, source))), []);
  const clearFixes = useCallback(() => setFixes(new Map()), []);
  /** Another revision is known: by a bulk change of one's own. */
  const sawRevision = useCallback((seen: number) => {
    revision.current = seen;
  }, []);
  return { pending, refused, fixes, done, checkedAt, commit, undo, forget, clearFixes, sawRevision };
}

export type Edits = ReturnType<typeof useEdits>;

function newestRevision(pages: [unknown, GridPage | undefined][]): number | null {
  let newest: number | null = null;
  for (const [, page] of pages) if (page && (newest === null || page.revision > newest)) newest = page.revision;
  return newest;
}
