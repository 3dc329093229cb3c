import type { QueryClient } from '@tanstack/react-query';
import type { Draft, Import, NewDraft } from '@/api/schema';

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
