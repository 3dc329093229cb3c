import type { Import, ImportCounts, ImportPage } from '@/api/schema';
import type { Filters } from './filters';

/** As many as are acted on at once; whoever means more narrows the filters. */
export const kMostMatching = 10_000;

/** How many imports fit these filters; undefined: only going through them tells. */
export function countMatching(filters: Filters, counts: ImportCounts | undefined): number | undefined {
  if (!counts || filters.q || filters.from || filters.to) return undefined;
  if (!filters.status) return counts.total;
  return filters.status.split(',').reduce((sum, status) => sum + (counts[status as keyof ImportCounts] as number | undefined ?? 0), 0);
}

export interface Matching {
  items: Import[];
  /** there are more than were gone through */
  cut: boolean;
}

/** Goes through all pages of a list, at most so many items. */
export async function collectMatching(page: (cursor: string | null) => Promise<ImportPage>, most = kMostMatching): Promise<Matching> {
  const items: Import[] = [];
  let cursor: string | null = null;
  do {
    const answer: ImportPage = await page(cursor);
    items.push(...answer.items);
    cursor = answer.next;
  } while (cursor !== null && items.length < most);
  return { items: items.slice(0, most), cut: cursor !== null || items.length > most };
}
