import { useSyncExternalStore } from 'react';
import { formatAge, formatExact } from '@/format/times';
import { serverNow } from '@/api/server_time';

// One clock for all ages on the page.
let second = 0;
const listeners = new Set<() => void>();
let timer = 0;
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  if (listeners.size === 1)
    timer = window.setInterval(() => {
      second += 1;
      if (!document.hidden) for (const one of listeners) one();
    }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.clearInterval(timer);
  };
};

/** Renders once a second; gives the server's time. */
export function useNow(): number {
  useSyncExternalStore(subscribe, () => second);
  return serverNow();
}

/** How old something is, by the server's clock; the exact time on hover. */
export function Age({ time, suffix = '' }: { time: string; suffix?: string }) {
  const now = useNow();
  const age = formatAge(time, now);
  return <time dateTime={time} title={formatExact(time)} className="num">{age}{age === 'now' ? '' : suffix}</time>;
}
