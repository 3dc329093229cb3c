import type { QueryClient } from '@tanstack/react-query';
import type { Draft, Import, NewDraft } from '@/api/schema';

const kEdits = 'lade.edits-of.';

/** Corrections that a new preview takes over: of which import, how many. Kept by this browser, for a draft and then for its import. */
export interface KeptEdits {
  job: string;
  count: number;
}

export function keepEdits(of: string, edits: KeptEdits | null): void {
  if (edits) window.localStorage.setItem(kEdits + of, JSON.stringify(edits));
  else window.localStorage.removeItem(kEdits + of);
}

export function keptEdits(of: string): KeptEdits | null {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(kEdits + of) ?? 'null');
    return kept !== null && typeof kept === 'object' && 'job' in kept && 'count' in kept ? (kept as KeptEdits) : null;
  } catch {
    return null;
  }
}

const keyOf = (job: string) => ['draft-of', job] as const;

/** An import ends its draft; whoever goes back gets a new one with the same content. */
export function keepForBack(client: QueryClient, job: string, draft: Draft): void {
  const { name, file_id, definition, read, mapping, values } = draft;
  client.setQueryData(keyOf(job), { name, file_id, definition, read, mapping, values, step: 'match' } satisfies NewDraft);
}

/** What to begin anew with: the draft of this visit, or what the import itself says after a reload. */
export function contentForBack(client: QueryClient, job: Import): NewDraft {
  return client.getQueryData<NewDraft>(keyOf(job.job_id)) ?? { name: job.file, file_id: job.file_id, definition: job.definition, read: job.source ?? {}, step: 'match' };
}
