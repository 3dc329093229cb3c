import { useMemo, useSyncExternalStore } from 'react';

// The address is where the state of the page lives: path, filters, sort, selection. A link shows a colleague the same thing.
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
if (typeof window !== 'undefined') window.addEventListener('popstate', tell);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Goes to an address of this dashboard; `replace` leaves no trace for the way back. */
export function navigate(to: string, { replace = false } = {}): void {
  if (to === window.location.pathname + window.location.search) return;
  if (replace) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  tell();
}

export const usePath = (): string => useSyncExternalStore(subscribe, () => window.location.pathname);
const useSearchText = (): string => useSyncExternalStore(subscribe, () => window.location.search);

export type SearchChange = Record<string, string | null | undefined>;

/** The address with these filters changed; an empty one is left out. */
export function withSearch(change: SearchChange, path = window.location.pathname, search = window.location.search): string {
  const parameters = new URLSearchParams(search);
  for (const [key, value] of Object.entries(change)) {
    if (value) parameters.set(key, value);
    else parameters.delete(key);
  }
  const text = parameters.toString();
  return text ? `${path}?${text}` : path;
}

/** Filters of the address, and how to change them in place. */
export function useSearch(): [URLSearchParams, (change: SearchChange, options?: { push?: boolean }) => void] {
  const text = useSearchText();
  const parameters = useMemo(() => new URLSearchParams(text), [text]);
  return [parameters, changeSearch];
}

function changeSearch(change: SearchChange, { push = false } = {}): void {
  navigate(withSearch(change), { replace: !push });
}

export type Parameters = Record<string, string>;

/** `/imports/:id/:tab?` against a path: what stands in its places, or null. */
export function matchPath(pattern: string, path: string): Parameters | null {
  const wanted = pattern.split('/').filter(Boolean);
  const found = path.split('/').filter(Boolean);
  if (found.length > wanted.length) return null;
  const parameters: Parameters = {};
  for (const [at, part] of wanted.entries()) {
    const given = found[at];
    if (part.startsWith(':')) {
      const name = part.slice(1).replace('?', '');
      if (given === undefined && !part.endsWith('?')) return null;
      if (given !== undefined) parameters[name] = decodeSafely(given);
    } else if (part !== given) return null;
  }
  return parameters;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
