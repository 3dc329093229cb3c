import type { Calls } from '@/api/schema';
import type { Import, ImportCounts } from '@/api/schema';

/** Statuses that people look for together, in the order of the filter bar. */
export const statusGroups = {
  active: ['queued', 'running', 'paused'],
  review: ['waiting_for_review'],
  succeeded: ['succeeded'],
  failed: ['failed'],
  ended: ['rejected', 'cancelled', 'undone'],
} as const satisfies Record<string, readonly (keyof ImportCounts)[]>;

export type StatusGroup = keyof typeof statusGroups;
export const groupNames = Object.keys(statusGroups) as StatusGroup[];

export type Filters = NonNullable<Calls['imports.list']['query']>;
const kNames = ['definition', 'owner', 'q', 'from', 'to'] as const;

/** The filters of the address, as the server takes them. `status` may name a group or single statuses. */
export function filtersOf(search: URLSearchParams): Filters {
  const filters: Filters = {};
  const status = search.get('status');
  if (status) filters.status = status in statusGroups ? statusGroups[status as StatusGroup].join(',') : status;
  for (const name of kNames) {
    const value = search.get(name);
    if (value) filters[name] = value;
  }
  return filters;
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0;

export const countOf = (group: StatusGroup, counts: ImportCounts | undefined): number | undefined =>
  counts && statusGroups[group].reduce((sum, status) => sum + counts[status], 0);

/** Whether an import fits, as far as the page can tell: days are left to the server. */
export function mayFit(one: Pick<Import, 'status' | 'definition' | 'created_by' | 'file' | 'slug'>, { status, definition, owner, q }: Filters): boolean {
  if (status && !status.split(',').includes(one.status)) return false;
  if (definition && one.definition !== definition) return false;
  if (owner && one.created_by !== owner) return false;
  return !q || [one.file, one.slug, one.definition].some((text) => text.toLowerCase().includes(q.toLowerCase()));
}
