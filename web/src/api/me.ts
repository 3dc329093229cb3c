import { useCall } from './use_call';
import type { Calls } from './schema';

export type Me = Calls['me.show']['answer'];

/** Who is signed in and may call what; `undefined` while it is not known. The server decides all the same. */
export function useMe() {
  return useCall('me.show', {}, { staleTime: 60_000 });
}

/** Whether the person may call this; actions that they may not are absent. */
export function useMay(): (call: keyof Calls) => boolean {
  const me = useMe();
  return (call) => me.data?.may.includes(call) ?? false;
}
