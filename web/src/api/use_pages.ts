import { useInfiniteQuery, type InfiniteData } from '@tanstack/react-query';
import { call, type CallArguments, type CallName } from './client';
import type { CallError } from './problem';
import type { Calls } from './schema';
import { keyOf } from './use_call';

interface Page {
  items: unknown[];
  next: string | null;
}

type Paged = { [K in CallName]: Calls[K]['answer'] extends Page ? K : never }[CallName];
type Item<K extends Paged> = Calls[K]['answer'] extends { items: (infer One)[] } ? One : never;

/** Pages of a list, one after the other: all items so far, and how to get more. `every`: asked again after so many milliseconds. */
export function usePages<K extends Paged>(name: K, given: CallArguments<K>, { every = false, enabled = true }: { every?: number | false; enabled?: boolean } = {}) {
  type Answer = Calls[K]['answer'];
  const key = [...keyOf(name, given), 'pages'];
  const query = useInfiniteQuery<Answer, CallError, InfiniteData<Answer, string | null>, typeof key, string | null>({
    queryKey: key,
    initialPageParam: null,
    enabled,
    refetchInterval: every,
    queryFn: ({ pageParam, signal }) => call(name, { ...given, query: { ...(given.query as object | undefined), ...(pageParam ? { cursor: pageParam } : {}) }, signal } as CallArguments<K>),
    getNextPageParam: (last) => (last as Page).next,
  });
  const items = (query.data?.pages ?? []).flatMap((page) => (page as Page).items) as Item<K>[];
  return { query, items, more: query.hasNextPage ? () => void query.fetchNextPage() : null, loadingMore: query.isFetchingNextPage };
}
