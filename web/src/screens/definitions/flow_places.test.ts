import { describe, expect, it } from 'vitest';
import type { DataColumn, Mapping, Step } from '@/api/schema';
import { flowOf, kRow, tablesOf, wayOf } from './flow_places';

const column = (column_name: string, step_code: string | null): DataColumn => ({ column_name, step_code, column_type: 'text', purpose: 'source_input', is_nullable: true, default_value: null, is_uniquely_identifying: false });
const step = (code: string, priority: number): Step => ({ code, name: code, priority, kind: 'load', analyse_procedure: null, process_procedure: null, options: {} });
const mapping = (from: string | null, to: DataColumn): Mapping => ({ mapping: { source_column_name: from, source_value: null, source_expression: null, target_data_column_name: to.column_name }, source_column: null, target_data_column: to });

describe('the picture of a definition', () => {
  it('puts steps by priority beside their columns', () => {
    const [a, b] = [column('a', 'late'), column('b', 'early')];
    const flow = flowOf(['A', 'B'], [step('late', 2), step('early', 1)], [a, b], [mapping('A', a), mapping('B', b), mapping(null, a)], []);
    expect(flow.columns[2].map((one) => [one.key, one.top])).toEqual([['t:b', 0], ['t:a', kRow]]);
    expect(flow.columns[1].map((one) => one.key)).toEqual(['p:early', 'p:late']);
    expect(flow.ways[0]).toHaveLength(2);
    expect([...wayOf('s:A', flow.ways.flat())].toSorted()).toEqual(['p:late', 's:A', 't:a']);
  });
  it('shows the tables where there are no steps', () => {
    const [a, b] = [column('a', null), column('b', null)];
    const flow = flowOf(['A', 'B'], [], [a, b], [mapping('A', a), mapping('B', b)], tablesOf({ load: [{ table: 'x', columns: ['a'] }, { table: 'y', columns: ['b'] }] }));
    expect(flow.middle).toBe('targets');
    expect([...wayOf('t:b', flow.ways.flat())].toSorted()).toEqual(['e:y', 's:B', 't:b']);
    expect(wayOf(null, flow.ways.flat()).size).toBe(0);
  });
});
