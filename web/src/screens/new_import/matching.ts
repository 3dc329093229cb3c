import type { Draft, HeaderMatch } from '@/api/schema';

export type Target = NonNullable<HeaderMatch['targets']>[number];
export type Source = NonNullable<HeaderMatch['sources']>[number];
type ValueItem = NonNullable<Target['values']>['items'][number];
export type Decision = Draft['values'][string][string];

export type Group = 'needs' | 'matched' | 'left';

/** A similar name below this needs a look. */
export const kSure = 0.8;

export interface Matched {
  source: string | null;
  kind: 'exact' | 'remembered' | 'similar' | 'chosen' | null;
  score: number;
}

type Choice = Draft['mapping'][string] | undefined;

/** The column of the file in a choice; the choice may also say how its dates are written. */
const sourceIn = (choice: Choice): string | null | undefined => (choice !== null && typeof choice === 'object' ? choice.from : choice);

const chosenOrder = (choice: Choice): string | null => (choice !== null && typeof choice === 'object' ? choice.format : null);

/** In which order the dates of a column were said to stand, here or for files like this before; null: nobody has said. */
export function orderOf(target: Target, mapping: Draft['mapping']): string | null {
  const choice = mapping[target.data_column];
  if (chosenOrder(choice) !== null) return chosenOrder(choice);
  // What was remembered is of the column that was remembered with it.
  const source = sourceIn(choice);
  return source === undefined || source === target.match?.source_column ? target.remembered_order : null;
}

/** Whether the order is one that was said for files like this before. */
export const isRememberedOrder = (target: Target, mapping: Draft['mapping']): boolean =>
  target.remembered_order !== null && orderOf(target, mapping) === target.remembered_order && chosenOrder(mapping[target.data_column]) === null;

/** Whether the order of its dates can only be known from a person, who has not said it yet. */
export const lacksOrder = (target: Target, mapping: Draft['mapping']): boolean =>
  target.ambiguous && matchedOf(target, mapping).source !== null && orderOf(target, mapping) === null;

/** What a data column is matched with: what the person chose, or else what was found. */
export function matchedOf(target: Target, mapping: Draft['mapping']): Matched {
  const chosen = sourceIn(mapping[target.data_column]);
  if (chosen !== undefined) {
    const found = target.match?.source_column === chosen && target.match.kind !== 'given' ? target.match : null;
    if (found) return { source: chosen, kind: found.kind as Matched['kind'], score: found.score };
    return { source: chosen, kind: chosen === null ? null : 'chosen', score: 1 };
  }
  if (!target.match) return { source: null, kind: null, score: 0 };
  const kind = target.match.kind === 'given' ? 'chosen' : target.match.kind;
  return { source: target.match.source_column, kind, score: target.match.score };
}

const isOpen = (item: ValueItem, decisions: Record<string, Decision> | undefined): boolean => item.target === null && decisions?.[item.text] === undefined;

/** Values that would fail and about which nothing was decided. */
export const openValues = (target: Target, values: Draft['values']): ValueItem[] =>
  (target.values?.items ?? []).filter((item) => isOpen(item, values[target.data_column]));

/** Rows that will fail because of open values; those beyond the listed ones are counted too. */
export function openRows(target: Target, values: Draft['values']): number {
  if (!target.values) return 0;
  const decided = target.values.items.filter((item) => item.target === null && !isOpen(item, values[target.data_column])).reduce((sum, item) => sum + item.rows, 0);
  return Math.max(target.values.rows_open - decided, 0);
}

/** Where a column stands in the list when the step is opened; it keeps that place until the step is left. */
export function groupOf(target: Target, draft: Pick<Draft, 'mapping' | 'values'>): Group {
  const matched = matchedOf(target, draft.mapping);
  if (matched.source === null) return target.required ? 'needs' : 'left';
  if (matched.kind === 'similar' && matched.score < kSure) return 'needs';
  if (lacksOrder(target, draft.mapping) || openValues(target, draft.values).length > 0) return 'needs';
  return 'matched';
}

/** Whether what stood under "Needs your decision" is decided. */
export const isDecided = (target: Target, draft: Pick<Draft, 'mapping' | 'values'>): boolean =>
  (matchedOf(target, draft.mapping).source !== null || !target.required) && !lacksOrder(target, draft.mapping) && openValues(target, draft.values).length === 0;

/** Those that must have a column of the file stand on top; otherwise the order of the definition. */
export const requiredFirst = (targets: Target[]): Target[] => [...targets.filter((target) => target.required), ...targets.filter((target) => !target.required)];

/** Required columns without a column of the file. */
export const missingOf = (targets: Target[], mapping: Draft['mapping']): string[] =>
  targets.filter((target) => target.required && matchedOf(target, mapping).source === null).map((target) => target.data_column);

/** Columns of the file that go nowhere. */
export function unusedOf(sources: Source[], targets: Target[], mapping: Draft['mapping']): Source[] {
  const used = new Set(targets.map((target) => matchedOf(target, mapping).source));
  return sources.filter((source) => !used.has(source.source_column));
}

/** Which other columns a column of the file feeds. */
export const alsoUsedFor = (source: string | null, target: Target, targets: Target[], mapping: Draft['mapping']): string[] =>
  source === null ? [] : targets.filter((other) => other !== target && matchedOf(other, mapping).source === source).map((other) => other.data_column);

/** As the server takes it: "column of the file=data column" for every choice. */
export const setOf = (mapping: Draft['mapping']): string[] =>
  Object.entries(mapping).flatMap(([data, choice]) => (choice === null ? [] : [`${sourceIn(choice)}=${data}`]));

/** The choices with those orders of dates that are shown because they were remembered; the same object when there are none. */
export function withOrders(targets: Target[], mapping: Draft['mapping']): Draft['mapping'] {
  const shown = targets.filter((target) => target.ambiguous && matchedOf(target, mapping).source !== null && isRememberedOrder(target, mapping));
  if (shown.length === 0) return mapping;
  return { ...mapping, ...Object.fromEntries(shown.map((target) => [target.data_column, { from: matchedOf(target, mapping).source!, format: orderOf(target, mapping)! }])) };
}

/** Orders of dates, to be remembered with the columns: those of columns that need one. */
export const formatsOf = (targets: Target[], mapping: Draft['mapping']): Record<string, string> =>
  Object.fromEntries(targets.flatMap((target) => {
    const order = target.ambiguous && matchedOf(target, mapping).source !== null ? orderOf(target, mapping) : null;
    return order === null ? [] : [[target.data_column, order]];
  }));

/** Everything that is matched, to be remembered for files with these headers. */
export const wholeSetOf = (targets: Target[], mapping: Draft['mapping']): string[] =>
  targets.flatMap((target) => {
    const { source } = matchedOf(target, mapping);
    return source === null ? [] : [`${source}=${target.data_column}`];
  });

const spelled = (name: string): string => name.trim().toLowerCase();

/** The matching without columns that another header does not have, and the decisions about their values; null: all of it stays. */
export function matchingFor(header: string[], draft: Pick<Draft, 'mapping' | 'values'>): Pick<Draft, 'mapping' | 'values'> | null {
  const names = new Set(header.map((name, at) => spelled(name) || `column_${at + 1}`));
  const lost = Object.entries(draft.mapping).flatMap(([data, choice]) => {
    const source = sourceIn(choice);
    return source && !names.has(spelled(source)) ? [data] : [];
  });
  if (lost.length === 0) return null;
  const without = <T>(record: Record<string, T>) => Object.fromEntries(Object.entries(record).filter(([data]) => !lost.includes(data)));
  return { mapping: without(draft.mapping), values: without(draft.values) };
}
