import { useEffect, useRef } from 'react';
import styles from './grid.module.css';

export interface Editing {
  row: number;
  column: number;
  text: string;
  change: (text: string) => void;
  /** Enter goes down, Tab right, Escape leaves */
  finish: (how: 'down' | 'right' | 'left' | 'stay') => void;
  leave: () => void;
  /** begun by typing: the cursor stands at the end, nothing is marked */
  typed: boolean;
}

/** The text of a cell while it is edited. It lives above the grid: scrolling away and back does not lose it. */
export function Editor({ editing, label }: { editing: Editing; label: string }) {
  const box = useRef<HTMLInputElement>(null);
  const { typed } = editing;
  useEffect(() => {
    const input = box.current;
    if (!input) return;
    input.focus({ preventScroll: true });
    if (!typed) input.select();
  }, [typed]);
  return (
    <input
      ref={box}
      className={styles.editor}
      aria-label={label}
      value={editing.text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => editing.change(event.target.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') editing.finish('down');
        else if (event.key === 'Tab') editing.finish(event.shiftKey ? 'left' : 'right');
        else if (event.key === 'Escape') editing.leave();
        else return;
        event.preventDefault();
      }}
    />
  );
}
