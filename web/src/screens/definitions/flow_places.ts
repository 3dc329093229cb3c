import type { DataColumn, Definition, Mapping, Step } from '@/api/schema';

export const kRow = 32;

export interface Place {
  key: string;
  label: string;
  note: string;
  top: number;
}

export interface Way {
  from: string;
  to: string;
}

/** Three columns of boxes with ways between them. */
export interface Flow {
  /** what stands in the middle: the steps, or without any the data columns */
  middle: 'steps' | 'targets';
  columns: [Place[], Place[], Place[]];
  ways: [Way[], Way[]];
  height: number;
}

interface Table {
  table: string;
  columns?: string[];
}

const unique = (ways: Way[]): Way[] => [...new Map(ways.map((way) => [`${way.from}\n${way.to}`, way])).values()];
const listed = (boxes: Omit<Place, 'top'>[]): Place[] => boxes.map((box, at) => ({ ...box, top: at * kRow }));

/** Each box beside the middle of what it is connected with, none over another. */
function beside(boxes: Omit<Place, 'top'>[], ends: Place[], ways: Way[], side: 'from' | 'to'): Place[] {
  let least = 0;
  return boxes.map((box) => {
    const other = side === 'from' ? 'to' : 'from';
    const tops = ends.filter((end) => ways.some((way) => way[side] === box.key && way[other] === end.key)).map((end) => end.top);
    const middle = tops.length > 0 ? (Math.min(...tops) + Math.max(...tops)) / 2 : least;
    const top = Math.max(middle, least);
    least = top + kRow;
    return { ...box, top };
  });
}

const boxOf = (prefix: string, column: DataColumn): Omit<Place, 'top'> => ({ key: prefix + column.column_name, label: column.column_name, note: column.column_type });

function whole(flow: Omit<Flow, 'height'>): Flow {
  return { ...flow, height: Math.max(kRow, ...flow.columns.flat().map((place) => place.top + kRow)) };
}

/** Steps in the middle, by priority; data columns on the right, by step. */
function withSteps(sources: Place[], steps: Step[], columns: DataColumn[], mappings: Mapping[]): Flow {
  const order = new Map(steps.map((step, at) => [step.code, at]));
  const sorted = columns.toSorted((a, b) => (order.get(a.step_code ?? '') ?? -1) - (order.get(b.step_code ?? '') ?? -1));
  const targets = listed(sorted.map((column) => boxOf('t:', column)));
  const right = sorted.flatMap((column) => (column.step_code ? [{ from: `p:${column.step_code}`, to: `t:${column.column_name}` }] : []));
  const left = mappings.flatMap(({ mapping, target_data_column: column }) => (mapping.source_column_name !== null && column.step_code ? [{ from: `s:${mapping.source_column_name}`, to: `p:${column.step_code}` }] : []));
  const middle = beside(steps.map((step) => ({ key: `p:${step.code}`, label: step.name || step.code, note: step.kind })), targets, right, 'from');
  return whole({ middle: 'steps', columns: [sources, middle, targets], ways: [unique(left), unique(right)] });
}

/** Data columns in the middle, the tables that they go to on the right. */
function withTables(sources: Place[], columns: DataColumn[], mappings: Mapping[], tables: Table[]): Flow {
  const targets = listed(columns.map((column) => boxOf('t:', column)));
  const left = mappings.flatMap(({ mapping }) => (mapping.source_column_name !== null ? [{ from: `s:${mapping.source_column_name}`, to: `t:${mapping.target_data_column_name}` }] : []));
  const right = tables.flatMap((one) => (one.columns ?? columns.map((column) => column.column_name)).map((name) => ({ from: `t:${name}`, to: `e:${one.table}` })));
  const ends = beside(tables.map((one) => ({ key: `e:${one.table}`, label: one.table, note: '' })), targets, right, 'to');
  return whole({ middle: 'targets', columns: [sources, targets, ends], ways: [unique(left), unique(right)] });
}

/** The tables that the definition loads, as its settings name them. */
export function tablesOf(settings: Definition['settings']): Table[] {
  const load = settings?.load;
  const list = Array.isArray(load) ? load : load ? [load] : [];
  return list.flatMap((one: unknown) => {
    const { table, columns } = (one ?? {}) as { table?: unknown; columns?: unknown };
    if (typeof table !== 'string') return [];
    const names = Array.isArray(columns) ? columns.filter((name): name is string => typeof name === 'string') : columns && typeof columns === 'object' ? Object.keys(columns) : undefined;
    return [names ? { table, columns: names } : { table }];
  });
}

/** Places for the picture. */
export function flowOf(sourceNames: string[], steps: Step[], columns: DataColumn[], mappings: Mapping[], tables: Table[]): Flow {
  const sources = listed(sourceNames.map((name) => ({ key: `s:${name}`, label: name, note: '' })));
  const used = steps.toSorted((a, b) => a.priority - b.priority);
  return used.length > 0 ? withSteps(sources, used, columns, mappings) : withTables(sources, columns, mappings, tables);
}

/** The box itself, all that leads to it and all that it leads to. */
export function wayOf(chosen: string | null, ways: Way[]): ReadonlySet<string> {
  const found = new Set<string>(chosen ? [chosen] : []);
  const follow = (from: 'from' | 'to', to: 'from' | 'to') => {
    let edge = chosen ? [chosen] : [];
    while (edge.length > 0) {
      edge = ways.filter((way) => edge.includes(way[from])).map((way) => way[to]);
      for (const one of edge) found.add(one);
    }
  };
  follow('from', 'to');
  follow('to', 'from');
  return found;
}
