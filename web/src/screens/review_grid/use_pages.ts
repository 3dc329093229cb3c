import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { call } from '@/api/client';
import type { CallError } from '@/api/problem';
import type { Grid as GridPage } from '@/api/schema';
import { keyOf } from '@/api/use_call';
import { queryOf, type Filter, type GridRow } from './rows';

export const kPageRows = 200;
const kKeptPages = 30;
const kQuiet = 40;
const kSearchOn = 50;

/** Pages that are looked at; while somebody drags the scrollbar over many, only where it comes to rest is asked for. */
function useWanted(first: number, last: number): number[] {
  const from = Math.floor(first / kPageRows);
  const to = Math.max(from, Math.floor(last / kPageRows));
  const [wanted, setWanted] = useState([from, to] as const);
  const changed = useRef(0);
  useEffect(() => {
    const quiet = performance.now() - changed.current > kQuiet;
    changed.current = performance.now();
    if (quiet) return setWanted([from, to]);
    const timer = window.setTimeout(() => setWanted([from, to]), kQuiet);
    return () => window.clearTimeout(timer);
  }, [from, to]);
  return useMemo(() => Array.from({ length: wanted[1] - wanted[0] + 1 }, (_, at) => wanted[0] + at), [wanted]);
}

/**
 * Rows of an import by their place among those that fit the filter, in pages; 30 of them are kept. `first` and `last` are what is on
 * the screen. Pages stay as they were read until `applyAgain`: a row that no longer fits does not vanish under somebody's hands. While
 * an import is running nobody's hands are on its rows: they are read again `every` so many milliseconds.
 */
export function usePages(id: string, filter: Filter, first: number, last: number, every: number | false) {
  const client = useQueryClient();
  const path = useMemo(() => ({ import: id }), [id]);
  const [epoch, setEpoch] = useState(0);
  const options = useCallback(
    (page: number) => {
      const query = { ...queryOf(filter), from: page * kPageRows, limit: kPageRows };
      return {
        queryKey: [...keyOf('imports.grid', { path, query }), epoch] as const,
        queryFn: ({ signal }: { signal: AbortSignal }) => call('imports.grid', { path, query, signal }),
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        // A text is searched by and by: each answer has looked at more of the file.
        refetchInterval: (asked: { state: { data?: GridPage | undefined } }) => (asked.state.data?.search?.complete === false ? kSearchOn : every),
      };
    },
    [path, filter, epoch, every],
  );
  const head = useQuery<GridPage, CallError>({ ...options(0), placeholderData: keepPreviousData } as never);
  const wanted = useWanted(first, last);
  const pages = useQueries({
    queries: wanted.map((page) => options(page)),
    combine: (results) => new Map(results.flatMap((result, at) => (result.data ? [[wanted[at]!, result.data] as const] : []))),
  });
  useEffect(() => {
    const idle = client.getQueryCache().findAll({ queryKey: ['imports.grid', path], type: 'inactive' });
    const old = idle.toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt).slice(kKeptPages);
    for (const query of old) client.removeQueries({ queryKey: query.queryKey, exact: true });
  }, [client, path, pages]);

  const rowAt = useCallback(
    (index: number): GridRow | undefined => {
      const page = Math.floor(index / kPageRows);
      const found = pages.get(page) ?? client.getQueryData<GridPage>(options(page).queryKey);
      return found?.items[index - page * kPageRows];
    },
    [pages, client, options],
  );
  /** Puts a row as it stands now in the place of what was read; the row stays where it is. The page stays of the revision of its other rows. */
  const putRow = useCallback(
    (fresh: GridRow) => {
      client.setQueriesData<GridPage>({ queryKey: ['imports.grid', path] }, (page) => {
        if (!page) return page;
        const at = page.items.findIndex((one) => one.row === fresh.row);
        if (at < 0) return page;
        const items = page.items.slice();
        items[at] = { ...fresh, index: page.items[at]!.index };
        return { ...page, items };
      });
    },
    [client, path],
  );
  /** Reads everything anew, with the filter. What is on the screen stays until the answer is there. */
  const applyAgain = useCallback(() => setEpoch((before) => before + 1), []);
  /** Reads what is on the screen anew, in place. */
  const refetch = useCallback(() => void client.invalidateQueries({ queryKey: ['imports.grid', path] }), [client, path]);
  return { head, rowAt, putRow, applyAgain, refetch };
}

/** One row as it stands now, wherever it is; null: it is not there any more. */
export async function freshRow(id: string, row: number): Promise<{ row: GridRow | null; page: GridPage }> {
  const page = await call('imports.grid', { path: { import: id }, query: { row, limit: 1 } });
  const found = page.items[0];
  return { row: found?.row === row ? found : null, page };
}

/** Where a row stands among those that fit: at it, or at the next one. */
export async function placeOf(id: string, filter: Filter, row: number): Promise<{ index: number; row: GridRow | null; matching: number }> {
  const page = await call('imports.grid', { path: { import: id }, query: { ...queryOf(filter), row, limit: 1 } });
  const found = page.items[0] ?? null;
  return { index: found ? found.index : Math.max(page.matching - 1, 0), row: found, matching: page.matching };
}
