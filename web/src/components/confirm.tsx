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

/** One line that has to be written before it can be done. */
export interface Line {
  label: string;
  /** why the button cannot be pressed while the line is blank */
  missing: string;
  most: number;
}

export interface Asked extends Question {
  line?: Line;
  answer: (yes: boolean, text: string) => void;
}

let asked: Asked | null = null;
const listeners = new Set<() => void>();
const set = (next: Asked | null) => {
  asked = next;
  for (const listener of listeners) listener();
};

function ask(question: Question & { line?: Line }): Promise<{ yes: boolean; text: string }> {
  return new Promise((resolve) => {
    set({
      ...question,
      answer: (yes, text) => {
        set(null);
        resolve({ yes, text });
      },
    });
  });
}

/** Asks before something that cannot be taken back; true: do it. */
export const confirm = async (question: Question): Promise<boolean> => (await ask(question)).yes;

/** The same, with a line that has to be written; null: leave it. */
export async function confirmWithLine(question: Question & { line: Line }): Promise<string | null> {
  const { yes, text } = await ask(question);
  return yes ? text : null;
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
