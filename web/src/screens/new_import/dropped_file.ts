// A file that was dropped somewhere in the window, until the first step takes it. Bytes cannot stand in the address.
let waiting: File | null = null;
const listeners = new Set<() => void>();

export function offerFile(file: File): void {
  waiting = file;
  for (const listener of listeners) listener();
}

export function takeFile(): File | null {
  const file = waiting;
  waiting = null;
  return file;
}

export function onFileOffered(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
