import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { call } from '@/api/client';
import { useLive, type LiveEvent } from '@/api/live';
import type { CallError } from '@/api/problem';
import type { Import, ImportPage } from '@/api/schema';
import { useHeld } from '@/shell/hold';
import { isFiltered, mayFit, type Filters } from './filters';

const kPageSize = 100;

type Pages = InfiniteData<ImportPage, string | null>;

/** An import that is on the page changes in its place; nothing else moves. */
function replaceIn(pages: Pages, changed: Map<string, Import>): Pages {
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, items: page.items.map((one) => changed.get(one.job_id) ?? one) })) };
}

const importsIn = (events: LiveEvent[]): Import[] => events.filter((event) => event.kind === 'import').map((event) => event.data as Import);

/**
 * Pages of imports, kept up to date by the stream. New ones do not push the list, and with filters
 * those that fit no more do not leave it: they are counted until somebody asks for them.
 */
export function useImports(filters: Filters) {
  const client = useQueryClient();
  const key = useMemo(() => ['imports.list', 'pages', filters] as const, [filters]);
  const [newer, setNewer] = useState<ReadonlySet<string>>(new Set());
  const held = useHeld();
  const query = useInfiniteQuery<ImportPage, CallError, Pages, typeof key, string | null>({
    queryKey: key,
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) => call('imports.list', { query: { ...filters, limit: kPageSize, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    getNextPageParam: (last) => last.next,
    refetchOnWindowFocus: false,
  });
  const refresh = () => {
    setNewer(new Set());
    void client.invalidateQueries({ queryKey: ['imports.list'] });
    void client.invalidateQueries({ queryKey: ['imports.counts'] });
  };
  const onEvents = (events: LiveEvent[]) => {
    if (held) return;
    if (events.some((event) => event.kind === 'reset')) return refresh();
    const changed = new Map(importsIn(events).map((one) => [one.job_id, one]));
    if (changed.size === 0) return;
    const known = new Set(query.data?.pages.flatMap((page) => page.items.map((one) => one.job_id)));
    client.setQueryData<Pages>(key, (pages) => pages && replaceIn(pages, changed));
    void client.invalidateQueries({ queryKey: ['imports.counts'] });
    const newest = query.data?.pages[0]?.items[0]?.id ?? 0;
    const oldest = query.hasNextPage ? (query.data?.pages.at(-1)?.items.at(-1)?.id ?? 0) : 0;
    // With filters any change can bring an import into the list or out of it; those further down are not on the page yet.
    const differs = (one: Import) => (known.has(one.job_id) ? !mayFit(one, filters) : isFiltered(filters) ? mayFit(one, filters) && one.id > oldest : one.id > newest);
    const fresh = [...changed.values()].filter(differs).map((one) => one.job_id);
    if (fresh.length > 0) setNewer((before) => new Set([...before, ...fresh]));
  };
  useLive('/api/v1/events?topic=imports', ['import', 'reset', 'hello'], { onEvents, refresh });
  useEffect(() => setNewer(new Set()), [key]);
  // What was missed while updates were held is fetched once.
  const wasHeld = useRef(false);
  useEffect(() => {
    if (wasHeld.current && !held) refresh();
    wasHeld.current = held;
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  return { query, items, newer: newer.size, refresh };
}
