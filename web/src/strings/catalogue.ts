import { Fragment, createElement, isValidElement, type ReactNode } from 'react';
import { formatNumber } from '@/format/numbers';

/** A sentence with {places}; one with a count has a form for one and a form for the others. */
export type Entry = string | { readonly one: string; readonly other: string };

type Value = string | number | null | undefined;
export type Values = Record<string, Value> & { count?: number };

export interface Translate<Key extends string> {
  (key: Key, values?: Values): string;
  /** with elements in its places */
  rich(key: Key, values: Record<string, ReactNode> & { count?: number }): ReactNode;
  has(key: string): key is Key;
}

const kPlace = /\{(\w+)\}/g;

function formOf(entry: Entry, count: number | undefined): string {
  if (typeof entry === 'string') return entry;
  return count === 1 ? entry.one : entry.other;
}

const shown = (value: Value): string => (typeof value === 'number' ? formatNumber(value) : (value ?? ''));

/** All words on the screen come from catalogues, one per area, so that another language is another set of these files. */
export function catalogue<const T extends Record<string, Entry>>(entries: T): Translate<keyof T & string> {
  const t = (key: keyof T & string, values: Values = {}): string =>
    formOf(entries[key]!, values.count).replace(kPlace, (_, name: string) => shown(values[name]));
  t.rich = (key: keyof T & string, values: Record<string, ReactNode> & { count?: number }): ReactNode => {
    const parts: ReactNode[] = [];
    let end = 0;
    const text = formOf(entries[key]!, values.count);
    for (const match of text.matchAll(kPlace)) {
      parts.push(text.slice(end, match.index));
      const value = values[match[1]!];
      parts.push(isValidElement(value) || typeof value === 'object' ? value : shown(value as Value));
      end = match.index + match[0].length;
    }
    parts.push(text.slice(end));
    return createElement(Fragment, null, ...parts);
  };
  t.has = (key: string): key is keyof T & string => key in entries;
  return t;
}
