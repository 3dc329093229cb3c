import { useSyncExternalStore } from 'react';

// `h` freezes what is on the page, to read and copy it; nothing is lost meanwhile.
let held = false;
const listeners = new Set<() => void>();
export const isHeld = (): boolean => held;
export function toggleHold(): void {
  held = !held;
  for (const listener of listeners) listener();
}
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
export const useHeld = (): boolean => useSyncExternalStore(subscribe, isHeld);
