import { useEffect, useSyncExternalStore } from 'react';
import { usePreferences } from './preferences';

const query = '(prefers-color-scheme: dark)';
const subscribe = (listener: () => void) => {
  const media = matchMedia(query);
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
};

/** The scheme of the page: what the person decided, or the system; density beside it. */
export function useColourScheme(): 'light' | 'dark' {
  const { theme, density } = usePreferences();
  const systemDark = useSyncExternalStore(subscribe, () => matchMedia(query).matches);
  const scheme = theme === 'auto' ? (systemDark ? 'dark' : 'light') : theme;
  useEffect(() => {
    document.documentElement.dataset.density = density;
  }, [density]);
  return scheme;
}
