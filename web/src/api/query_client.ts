import { QueryClient } from '@tanstack/react-query';
import { isCallError } from './problem';

const kMostRetries = 2;

// What the server refuses stays refused; only what did not reach it, or what it could not do at the moment, is tried again.
function retry(failures: number, error: unknown): boolean {
  if (failures >= kMostRetries || !isCallError(error)) return false;
  return error.status === 0 || error.status === 503;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry, staleTime: 5_000, refetchOnWindowFocus: true, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
