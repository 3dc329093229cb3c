import { useEffect, useRef } from 'react';
import { preferences } from '@/theme/preferences';

export interface Binding {
  /** 'Ctrl+k', 'g i', '?', 'Alt+ArrowRight' */
  keys: string;
  label: string;
  run: () => void;
  /** also while typing; only for keys with a modifier and for Escape */
  whileTyping?: boolean;
  /** a key that is held does it again and again: only for what moves */
  repeats?: boolean;
}

interface Scope {
  title: string;
  bindings: () => Binding[];
}

const kSequenceWait = 1000;
// The last one wins: a screen's keys over those of the whole dashboard.
const scopes: Scope[] = [];
let begun = '';
let begunAt = 0;

/** The key as bindings write it. */
export function nameOf(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>): string {
  const modifiers = [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : ''].filter(Boolean);
  // Shift is part of a character ("?"), and a modifier of all other keys.
  if (event.shiftKey && (event.key.length > 1 || modifiers.length > 0 || /[a-z]/i.test(event.key))) modifiers.push('Shift');
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return [...modifiers, key].join('+');
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'file'].includes(target.type);
}

const kControls = 'a[href], button, summary, input, label, [role="button"], [role="link"], [role="tab"], [role="option"], [role="switch"], [role="checkbox"], [role="radio"], [role^="menuitem"]';

/** Whether a key presses what has the focus: that is what it is for there, whatever it means on the page. */
export function isPress(pressed: string, target: Pick<Element, 'closest'> | null): boolean {
  return (pressed === 'Enter' || pressed === ' ') && target !== null && target.closest(kControls) !== null;
}

const isLetter = (keys: string): boolean => /^(\S|\S \S|Shift\+\S)$/.test(keys);

function find(pressed: string, typing: boolean): Binding | null {
  for (let at = scopes.length - 1; at >= 0; at -= 1) {
    for (const binding of scopes[at]!.bindings()) {
      if (binding.keys !== pressed) continue;
      if (typing && !binding.whileTyping) continue;
      if (isLetter(binding.keys) && !preferences().letters) continue;
      return binding;
    }
  }
  return null;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || ['Control', 'Alt', 'Shift', 'Meta'].includes(event.key)) return;
  const typing = isTyping(event.target);
  // An open dialog or menu has its own keys.
  const inDialog = event.target instanceof HTMLElement && event.target.closest('[role="dialog"], [role="menu"], [role="listbox"]') !== null;
  const pressed = nameOf(event);
  if (isPress(pressed, event.target instanceof Element ? event.target : null)) return;
  const sequence = begun && Date.now() - begunAt < kSequenceWait ? `${begun} ${pressed}` : '';
  begun = '';
  const binding = (sequence && find(sequence, typing)) || find(pressed, typing);
  if (binding && (!inDialog || binding.whileTyping)) {
    event.preventDefault();
    if (!event.repeat || binding.repeats) binding.run();
  } else if (!typing && !inDialog && pressed.length === 1) {
    begun = pressed;
    begunAt = Date.now();
  }
}

/** Keys that work while the component is on the page. */
export function useKeys(title: string, bindings: Binding[]): void {
  const latest = useRef(bindings);
  useEffect(() => {
    latest.current = bindings;
  });
  useEffect(() => {
    const scope: Scope = { title, bindings: () => latest.current };
    if (scopes.length === 0) window.addEventListener('keydown', onKeyDown);
    scopes.push(scope);
    return () => {
      scopes.splice(scopes.indexOf(scope), 1);
      if (scopes.length === 0) window.removeEventListener('keydown', onKeyDown);
    };
  }, [title]);
}

/** For the list behind `?`: the screen's own keys first. */
export const keysNow = (): { title: string; bindings: Binding[] }[] => scopes.toReversed().map((scope) => ({ title: scope.title, bindings: scope.bindings() }));
