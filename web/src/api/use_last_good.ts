import { useRef } from 'react';

/** An answer that stays on the page when the next question is refused, so that one can take back what was asked; `error` says why. */
export function useLastGood<Data, Query extends { data: Data | undefined }>(query: Query & { data: Data | undefined }): Query {
  const last = useRef<Data | undefined>(undefined);
  if (query.data !== undefined) last.current = query.data;
  return { ...query, data: query.data ?? last.current };
}
