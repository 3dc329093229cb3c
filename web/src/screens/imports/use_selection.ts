import { useCallback, useRef, useState } from 'react';
import type { Import } from '@/api/schema';
import type { Matching } from './all_matching';
import type { Filters } from './filters';

/**
 * Which imports are marked; a range reaches from the last one that was marked. All that fit the filters are a choice of their own, which ends with
 * these filters or with the first mark that is changed.
 */
export function useSelection(items: Import[], filters: Filters) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [every, setEvery] = useState<{ of: Filters; all: Matching } | null>(null);
  const all = every?.of === filters ? every.all : null;
  const anchor = useRef(0);
  const list = useRef(items);
  const everyOf = useRef(all);
  everyOf.current = all;
  list.current = items;
  const toggle = useCallback((index: number, range: boolean) => {
    // Taking one away from all leaves those that are on the page.
    const everything = everyOf.current;
    setEvery(null);
    setMarked((marks) => {
      const before = everything ? new Set(list.current.map((one) => one.job_id)) : marks;
      const after = new Set(before);
      const from = range ? Math.min(anchor.current, index) : index;
      const to = range ? Math.max(anchor.current, index) : index;
      const on = range || !before.has(list.current[index]!.job_id);
      for (const one of list.current.slice(from, to + 1)) {
        if (on) after.add(one.job_id);
        else after.delete(one.job_id);
      }
      return after;
    });
    anchor.current = index;
  }, []);
  return {
    chosen: items.filter((one) => marked.has(one.job_id)),
    all,
    setAll: (found: Matching) => setEvery({ of: filters, all: found }),
    has: (id: string) => all !== null || marked.has(id),
    toggle,
    clear: () => {
      setEvery(null);
      setMarked(new Set());
    },
  };
}
