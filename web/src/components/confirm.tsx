import { Suspense, lazy, useSyncExternalStore, type ReactNode } from 'react';

const ConfirmDialog = lazy(() => import('./confirm_dialog').then((module) => ({ default: module.ConfirmDialog })));

interface Question {
  title: string;
  /** at most two sentences: what will happen */
  body?: ReactNode;
  /** consequences, one by one */
  consequences?: string[];
  /** named after what it does */
  action: string;
  /** the way out, never called "Cancel" */
  keep: string;
  danger?: boolean;
}

export interface Asked extends Question {
  answer: (yes: boolean) => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();
const set = (next: Asked | null) => {
  asked = next;
  for (const listener of listeners) listener();
};

/** Asks before something that cannot be taken back; true: do it. */
export function confirm(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    set({
      ...question,
      answer: (yes) => {
        set(null);
        resolve(yes);
      },
    });
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Where the question shows; once in the page. */
export function ConfirmHost() {
  const question = useSyncExternalStore(subscribe, () => asked);
  return question ? <Suspense fallback={null}><ConfirmDialog question={question} /></Suspense> : null;
}
