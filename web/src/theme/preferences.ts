import { useSyncExternalStore } from 'react';

/** What a person decides about this browser; nothing of the work. */
export interface Preferences {
  theme: 'auto' | 'light' | 'dark';
  density: 'compact' | 'comfortable';
  /** of numbers and dates; empty: that of the browser */
  locale: string;
  /** single letters as shortcuts (WCAG 2.1.4) */
  letters: boolean;
}

const kKey = 'lade.preferences';
const defaults: Preferences = { theme: 'auto', density: 'compact', locale: '', letters: true };

function read(): Preferences {
  if (typeof localStorage === 'undefined') return defaults;
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(kKey) ?? '{}') as Partial<Preferences>) };
  } catch {
    return defaults;
  }
}

let current = read();
const listeners = new Set<() => void>();

export const preferences = (): Preferences => current;

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    localStorage.setItem(kKey, JSON.stringify(current));
  } catch {
    // Not kept in a browser that keeps nothing; it holds until the page is left.
  }
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);

export const isDark = (): boolean =>
  current.theme === 'dark' || (current.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
