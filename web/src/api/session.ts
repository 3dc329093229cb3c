// Tells whoever shows the page that the session has ended; what is on the page stays, with its input.
type Listener = () => void;
const listeners = new Set<Listener>();
let ended = false;

export const hasSessionEnded = (): boolean => ended;

export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(value: boolean): void {
  if (ended === value) return;
  ended = value;
  for (const listener of listeners) listener();
}

export const sessionEnded = (): void => set(true);
export const sessionBegun = (): void => set(false);
