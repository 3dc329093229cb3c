import { useCallback, useRef, useState } from 'react';
import type { Import } from '@/api/schema';

/** Which imports are marked; a range reaches from the last one that was marked. */
export function useSelection(items: Import[]) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const anchor = useRef(0);
  const list = useRef(items);
  list.current = items;
  const toggle = useCallback((index: number, range: boolean) => {
    setMarked((before) => {
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
  return { chosen: items.filter((one) => marked.has(one.job_id)), has: (id: string) => marked.has(id), toggle, clear: () => setMarked(new Set()) };
}
