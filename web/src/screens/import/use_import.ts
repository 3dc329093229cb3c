import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { addressOf } from '@/api/client';
import { useLive, type LiveEvent } from '@/api/live';
import type { Import } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { useHeld } from '@/shell/hold';

/** Nothing more happens to it by itself. */
export const hasEnded = (job: Import): boolean => job.state === 'finished';

/** Kinds of events that the history of an import has, beside `progress`. */
const kinds = [
  'progress', 'created', 'file_stored', 'preparation_started', 'planned', 'analysed', 'review_needed', 'approved', 'rejected', 'processing_started', 'completed',
  'failed', 'cancelled', 'cancel_requested', 'paused', 'resumed', 'fixed', 'undone', 'redone', 'preparation_retried', 'analysis_retried', 'processing_retried', 'waits_for_target',
];

/** What a stream says of an import has no comparison, issues or tasks: those stay, unless they belong to another revision. */
export function merged(before: Import, said: Import): Import {
  const after = { ...before, ...said };
  if (before.revision !== said.revision) delete after.comparison;
  if (!said.error) delete after.error;
  return after;
}

const aside = ['imports.issues', 'imports.events', 'imports.task_map', 'imports.metrics', 'imports.tasks', 'imports.diff_summary'] as const;
const rows = ['imports.grid', 'imports.grid.walk', 'imports.row_map'] as const;

/** An import, live: by its stream while it goes on, by asking when the stream stays away. The server's answer always wins. */
export function useImport(id: string) {
  const client = useQueryClient();
  const given = { path: { import: id } };
  const query = useCall('imports.show', given);
  const held = useHeld();
  const job = query.data;
  const key = keyOf('imports.show', given);

  const refresh = () => {
    void client.invalidateQueries({ queryKey: key });
    // Rows that wait for review keep their places under somebody's hands: the grid itself looks after them.
    for (const name of job?.status === 'waiting_for_review' ? aside : [...aside, ...rows]) void client.invalidateQueries({ queryKey: [name, given.path] });
  };
  // Another state makes other rows of them, whoever told of it.
  const place = job && `${job.state} ${job.status}`;
  const placeBefore = useRef(place);
  useEffect(() => {
    const moved = placeBefore.current !== undefined && placeBefore.current !== place;
    placeBefore.current = place;
    if (moved) for (const name of rows) void client.invalidateQueries({ queryKey: [name, { import: id }] });
  }, [client, id, place]);
  const onEvents = (events: LiveEvent[]) => {
    if (held) return;
    const last = events.findLast((event) => event.kind === 'progress')?.data as Import | undefined;
    if (last) client.setQueryData<Import>(key, (before) => (before ? merged(before, last) : before));
    const before = job;
    const another = last && before && (last.state !== before.state || last.status !== before.status || last.revision !== before.revision);
    if (another) refresh();
    else if (events.some((event) => event.kind !== 'progress')) void client.invalidateQueries({ queryKey: ['imports.events', given.path] });
  };
  const listens = job !== undefined && !hasEnded(job);
  useLive(listens ? addressOf('imports.events', given.path) : null, kinds, { onEvents, refresh }, { resumes: true });

  const wasHeld = useRef(false);
  useEffect(() => {
    if (wasHeld.current && !held) refresh();
    wasHeld.current = held;
  });
  return { query, job, refresh };
}

interface Sample {
  at: number;
  rows: number;
}

const kWindow = 10_000;
const kAtLeast = 5_000;

/** Rows a second over the last ten seconds; `steady` when the first and the second half of them differ by less than half. */
export function paceOf(samples: Sample[]): { rate: number; steady: boolean } | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.at - first.at < 500) return null;
  const rate = ((last.rows - first.rows) * 1000) / (last.at - first.at);
  if (last.at - first.at < kAtLeast) return { rate, steady: false };
  const middle = samples.find((one) => one.at >= (first.at + last.at) / 2) ?? last;
  const early = ((middle.rows - first.rows) * 1000) / Math.max(middle.at - first.at, 1);
  const late = ((last.rows - middle.rows) * 1000) / Math.max(last.at - middle.at, 1);
  return { rate, steady: Math.abs(early - late) <= Math.max(early, late) / 2 };
}

/** Watches a count that grows. It starts anew when `of` changes. */
export function usePace(rows: number, of: string, now: number) {
  const samples = useRef<{ of: string; list: Sample[] }>({ of, list: [] });
  if (samples.current.of !== of) samples.current = { of, list: [] };
  const list = samples.current.list;
  const last = list.at(-1);
  if (!last || now - last.at >= 900) {
    list.push({ at: now, rows });
    while (list.length > 2 && now - list[0]!.at > kWindow) list.shift();
  }
  return paceOf(list);
}
