import { describe, expect, it } from 'vitest';
import type { BatchStage } from '@/api/schema';
import { sumStages } from './stages';

const stage = (job_type: BatchStage['job_type'], succeeded: number, failed: number): BatchStage => ({
  id: `${job_type}${succeeded}`, batch_id: '', job_id: '', job_type, status: 'running', retry_count: 0, payload: { job: '', file: '', definition: '' },
  result: { total: succeeded + failed, pending: 0, running: 0, succeeded, failed, blocked: 0, cancelled: 0 }, started_at: null, completed_at: null,
});

describe('stages of a batch', () => {
  it('sums the imports and keeps the order', () => {
    const sums = sumStages([stage('load', 1, 0), stage('scrape', 2, 1), stage('scrape', 3, 0)]);
    expect(sums.map((one) => one.name)).toEqual(['scrape', 'load']);
    expect(sums[0]!.counts).toMatchObject({ total: 6, succeeded: 5, failed: 1 });
  });
});
