import { describe, expect, it } from 'vitest';
import { countOf, filtersOf, isFiltered, mayFit } from './filters';

describe('filters of the address', () => {
  it('names the statuses of a group', () => {
    expect(filtersOf(new URLSearchParams('status=active&q=price')).status).toBe('queued,running,paused');
    expect(filtersOf(new URLSearchParams('status=undone')).status).toBe('undone');
  });
  it('leaves out what is empty or unknown', () => {
    const filters = filtersOf(new URLSearchParams('q=&colour=blue'));
    expect(filters).toEqual({});
    expect(isFiltered(filters)).toBe(false);
  });
  it('counts a group', () => {
    const counts = { total: 9, queued: 1, running: 2, paused: 3, waiting_for_review: 0, succeeded: 3, failed: 0, rejected: 0, cancelled: 0, undone: 0, server_time: '' };
    expect(countOf('active', counts)).toBe(6);
    expect(countOf('active', undefined)).toBeUndefined();
  });
});

describe('whether an import that changed fits', () => {
  const one = { status: 'failed' as const, definition: 'prices', created_by: 'a@b.c', file: 'Preise.csv', slug: 'prices-1' };
  it('asks every filter that the page can answer', () => {
    expect(mayFit(one, {})).toBe(true);
    expect(mayFit(one, { status: 'queued,failed', definition: 'prices', owner: 'a@b.c', q: 'preise' })).toBe(true);
    expect(mayFit(one, { status: 'queued,running' })).toBe(false);
    expect(mayFit(one, { owner: 'x@b.c' })).toBe(false);
    expect(mayFit(one, { q: 'other' })).toBe(false);
  });
});
