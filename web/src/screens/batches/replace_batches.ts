import type { Batch, BatchPage } from '@/api/schema';

/** The same pages with what changed in its place; `seen` gets the ids that are on them. What the list alone knows of a batch stays. */
export function replaceBatches(pages: BatchPage[], changed: ReadonlyMap<string, Batch>, seen: Set<string>): BatchPage[] {
  return pages.map((page) => ({
    ...page,
    items: page.items.map((one) => {
      const next = changed.get(one.batch_id);
      if (!next) return one;
      seen.add(one.batch_id);
      return { ...one, ...next };
    }),
  }));
}
