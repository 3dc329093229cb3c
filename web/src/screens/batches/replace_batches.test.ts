import { describe, expect, it } from 'vitest';
import type { Batch, BatchPage } from '@/api/schema';
import { replaceBatches } from './replace_batches';

const batch = (batch_id: string, progress: number): Batch => ({ batch_id, progress }) as Batch;

describe('a list of batches', () => {
  it('changes in its place and says what is not on it', () => {
    const pages: BatchPage[] = [{ items: [batch('a', 1), batch('b', 1)], next: 'x' }, { items: [batch('c', 1)], next: null }];
    const seen = new Set<string>();
    const after = replaceBatches(pages, new Map([['b', batch('b', 50)], ['z', batch('z', 5)]]), seen);
    expect(after.flatMap((page) => page.items.map((one) => `${one.batch_id} ${one.progress}`))).toEqual(['a 1', 'b 50', 'c 1']);
    expect([...seen]).toEqual(['b']);
    expect(after[0]!.items[0]).toBe(pages[0]!.items[0]);
  });
});
