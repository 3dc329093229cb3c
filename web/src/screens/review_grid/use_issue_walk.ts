import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { call } from '@/api/client';
import type { Grid as GridPage } from '@/api/schema';

const kinds = ['failed', 'warning'] as const;

interface Place {
  /** rows with issues before and at this one, and all of them */
  at: number;
  total: number;
  pages: GridPage[];
}

const ask = (id: string, query: { state: string; row?: number; from?: number }, signal?: AbortSignal) =>
  call('imports.grid', { path: { import: id }, query: { ...query, limit: 1 }, ...(signal ? { signal } : {}) });

/** From issue to issue through the whole file, whatever the filter shows. */
export function useIssueWalk(id: string, row: number | undefined, revision: number) {
  const here = useQuery<Place>({
    queryKey: ['imports.grid.walk', { import: id }, row ?? 0, revision],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(kinds.map((state) => ask(id, { state, row: row ?? 1 }, signal)));
      const on = pages.some((page) => page.items[0]?.row === row);
      const before = pages.reduce((sum, page) => sum + Math.min(page.from, page.matching), 0);
      return { at: before + (on ? 1 : 0), total: pages.reduce((sum, page) => sum + page.matching, 0), pages };
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  /** The next row with an issue after `from`, or the one before it; null: there is none. */
  const find = useCallback(
    async (from: number, direction: 1 | -1): Promise<number | null> => {
      const found = await Promise.all(
        kinds.map(async (state) => {
          const page = await ask(id, { state, row: direction === 1 ? from + 1 : from });
          if (direction === 1) return page.items[0]?.row ?? null;
          const index = page.items[0] ? page.items[0].index : page.matching;
          if (index <= 0) return null;
          return (await ask(id, { state, from: index - 1 })).items[0]?.row ?? null;
        }),
      );
      const rows = found.filter((one) => one !== null);
      if (rows.length === 0) return null;
      return direction === 1 ? Math.min(...rows) : Math.max(...rows);
    },
    [id],
  );
  return { at: here.data?.at ?? 0, total: here.data?.total ?? 0, find };
}
