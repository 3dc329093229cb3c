import { describe, expect, it } from 'vitest';
import type { Import, ImportCounts, ImportPage } from '@/api/schema';
import { collectMatching, countMatching } from './all_matching';

const counts = { total: 20, queued: 1, running: 2, paused: 0, waiting_for_review: 3, succeeded: 10, failed: 4, rejected: 0, cancelled: 0, undone: 0, server_time: '' } as ImportCounts;
const pages = (sizes: number[]) => (cursor: string | null): Promise<ImportPage> => {
  const at = Number(cursor ?? 0);
  const items = Array.from({ length: sizes[at]! }, (_, index) => ({ job_id: `${at} ${index}` }) as Import);
  return Promise.resolve({ items, next: at + 1 < sizes.length ? String(at + 1) : null });
};

describe('all that match', () => {
  it('are counted where the server counts by these filters', () => {
    expect(countMatching({}, counts)).toBe(20);
    expect(countMatching({ status: 'queued,running,paused', owner: 'a@b' }, counts)).toBe(3);
    expect(countMatching({ status: 'failed', q: 'x' }, counts)).toBeUndefined();
    expect(countMatching({}, undefined)).toBeUndefined();
  });
  it('are gone through page by page, and never cut silently', async () => {
    expect(await collectMatching(pages([3, 3, 1]))).toMatchObject({ items: { length: 7 }, cut: false });
    expect(await collectMatching(pages([3, 3, 1]), 6)).toMatchObject({ items: { length: 6 }, cut: true });
    expect(await collectMatching(pages([3, 3]), 5)).toMatchObject({ items: { length: 5 }, cut: true });
    expect(await collectMatching(pages([0]))).toEqual({ items: [], cut: false });
  });
});
