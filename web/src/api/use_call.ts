import { keepPreviousData, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, type CallArguments, type CallName } from './client';
import type { CallError } from './problem';
import type { Calls } from './schema';

/** The key under which an answer is kept: everything below `[name]` is dropped together. */
export const keyOf = (name: CallName, given: { path?: unknown; query?: unknown } = {}) => [name, given.path ?? null, given.query ?? null] as const;

export function callOptions<K extends CallName>(name: K, given: CallArguments<K>) {
  return queryOptions<Calls[K]['answer'], CallError>({
    queryKey: keyOf(name, given),
    queryFn: ({ signal }) => call(name, { ...given, signal }),
  });
}

interface Settings {
  enabled?: boolean;
  refetchInterval?: number | false;
  staleTime?: number;
  /** the answer to the question before stays on the page until this one is there */
  keep?: boolean;
}

/** What the server says, kept up to date; the only place where answers live. */
export function useCall<K extends CallName>(name: K, given: CallArguments<K>, settings: Settings = {}): UseQueryResult<Calls[K]['answer'], CallError> {
  const { keep, ...rest } = settings;
  return useQuery({ ...callOptions(name, given), ...rest, ...(keep ? { placeholderData: keepPreviousData } : {}) } as never);
}
