import { useEffect, useSyncExternalStore } from 'react';

export interface Crumb {
  label: string;
  to?: string;
}

interface Head {
  crumbs: Crumb[];
  /** stands where the connection stands, such as "Saved 10:38" */
  note: { text: string; state: 'good' | 'old' } | null;
}

let head: Head = { crumbs: [], note: null };
const listeners = new Set<() => void>();
const set = (change: Partial<Head>) => {
  head = { ...head, ...change };
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useHead = (): Head => useSyncExternalStore(subscribe, () => head);

/** The path in the top bar and the title of the tab: outermost first, the last one is this page. */
export function useCrumbs(crumbs: Crumb[], tabTitle?: string): void {
  const key = JSON.stringify(crumbs);
  useEffect(() => {
    set({ crumbs: JSON.parse(key) as Crumb[] });
  }, [key]);
  const title = tabTitle ?? crumbs.at(-1)?.label ?? '';
  useEffect(() => {
    document.title = title ? `${title} · lade` : 'lade';
  }, [title]);
}

/** Says in the top bar what matters more here than the connection. */
export function useHeadNote(text: string | null, state: 'good' | 'old' = 'good'): void {
  useEffect(() => {
    set({ note: text ? { text, state } : null });
    return () => set({ note: null });
  }, [text, state]);
}
