import { useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import type { CallError } from '@/api/problem';
import type { Draft, HeaderMatch } from '@/api/schema';

/** How well headers fit a definition: the share of its columns that the file has, by how sure each is. */
export function fitOf(match: Pick<HeaderMatch, 'complete' | 'matches' | 'missing'>): number {
  const columns = match.matches.length + match.missing.length;
  if (columns === 0) return 0;
  const sure = match.matches.reduce((sum, one) => sum + one.confidence, 0);
  return sure / columns + (match.complete ? 1 : 0);
}

/** The definition that fits the headers of a file best; null: none does. */
export function useFoundDefinition(draft: Draft, enabled: boolean) {
  return useQuery<string | null, CallError>({
    queryKey: ['found-definition', draft.file_id, draft.read],
    enabled,
    queryFn: async ({ signal }) => {
      const definitions = (await call('definitions.list', { signal })).items.filter((one) => one.valid);
      let best: { slug: string; fit: number } | null = null;
      for (const { slug } of definitions) {
        const match = await call('definitions.match', { path: { slug }, body: { file_id: draft.file_id!, source: draft.read }, signal }).catch(() => null);
        const fit = match && match.matches.length > 0 ? fitOf(match) : 0;
        if (fit > (best?.fit ?? 0)) best = { slug, fit };
      }
      return best && best.fit >= 0.5 ? best.slug : null;
    },
  });
}
