import type { BatchStage } from '@/api/schema';

/** The stages in the order in which a batch goes through them. */
export const stageNames = ['manifest_ingest', 'scrape', 'enrich', 'entity_resolution', 'review_prep', 'load'] as const;
export type StageName = (typeof stageNames)[number];
export type StageCounts = BatchStage['result'];

const none: StageCounts = { total: 0, pending: 0, running: 0, succeeded: 0, failed: 0, blocked: 0, cancelled: 0 };

/** The stages of all imports of a batch, summed up; those that it does not have are absent. */
export function sumStages(stages: BatchStage[]): { name: StageName; counts: StageCounts }[] {
  const sums = new Map<string, StageCounts>();
  for (const stage of stages) {
    const sum = { ...(sums.get(stage.job_type) ?? none) };
    for (const key of Object.keys(none) as (keyof StageCounts)[]) sum[key] += stage.result[key] ?? 0;
    sums.set(stage.job_type, sum);
  }
  return stageNames.flatMap((name) => {
    const counts = sums.get(name);
    return counts ? [{ name, counts }] : [];
  });
}
