import { describe, expect, it } from 'vitest';
import { alsoUsedFor, formatsOf, groupOf, isDecided, isRememberedOrder, lacksOrder, matchedOf, missingOf, openRows, openValues, orderOf, requiredFirst, setOf, unusedOf, withOrders, type Target, matchingFor } from './matching';

const target = (change: Partial<Target>): Target => ({
  data_column: 'price', required: true, type: 'decimal(14,2)', from: ['Price'], match: null, candidates: [], samples: [], cells: 10, blank: 0, evidence: null, ambiguous: false, orders: [], remembered_order: null, values: null, ...change,
});
const found = (source_column: string, kind: 'exact' | 'similar' | 'remembered' | 'given', score = 1) => ({ source_column, kind, score });
const units = target({
  data_column: 'unit',
  match: found('ME', 'exact'),
  values: { kind: 'enum', total: 3, rows_open: 353, accepted: ['kg', 'm'], items: [
    { text: 'Kilo', rows: 341, target: null, similar: 'kg' },
    { text: '?', rows: 12, target: null, similar: null },
    { text: 'm', rows: 9, target: 'm', similar: null },
  ] },
});

describe('matching', () => {
  it('takes the choice over what was found', () => {
    const one = target({ match: found('EK', 'exact') });
    expect(matchedOf(one, {})).toMatchObject({ source: 'EK', kind: 'exact' });
    expect(matchedOf(one, { price: 'VK' })).toMatchObject({ source: 'VK', kind: 'chosen' });
    expect(matchedOf(one, { price: null })).toMatchObject({ source: null, kind: null });
  });
  it('groups by what has to be decided', () => {
    const nothing = { mapping: {}, values: {} };
    expect(groupOf(target({}), nothing)).toBe('needs');
    expect(groupOf(target({ required: false }), nothing)).toBe('left');
    expect(groupOf(target({ match: found('EK', 'similar', 0.71) }), nothing)).toBe('needs');
    expect(groupOf(target({ match: found('EK', 'similar', 0.88) }), nothing)).toBe('matched');
    expect(groupOf(units, nothing)).toBe('needs');
    expect(groupOf(units, { mapping: {}, values: { unit: { Kilo: { use: 'kg' }, '?': { fail: true } } } })).toBe('matched');
  });
  it('asks for the order of dates that fit several', () => {
    const day = target({ data_column: 'day', type: 'date', match: found('Day', 'exact'), ambiguous: true, orders: ['DD/MM/YYYY', 'MM/DD/YYYY'] });
    const said = { mapping: { day: { from: 'Day', format: 'MM/DD/YYYY' } }, values: {} };
    expect([lacksOrder(day, {}), groupOf(day, { mapping: {}, values: {} }), isDecided(day, { mapping: {}, values: {} })]).toEqual([true, 'needs', false]);
    expect([lacksOrder(day, said.mapping), groupOf(day, said), isDecided(day, said)]).toEqual([false, 'matched', true]);
    expect(matchedOf(day, said.mapping)).toMatchObject({ source: 'Day', kind: 'exact' });
    expect(setOf(said.mapping)).toEqual(['Day=day']);
    expect(lacksOrder(day, { day: 'Other' })).toBe(true);
    expect(lacksOrder(day, { day: null })).toBe(false);
  });
  it('takes a remembered order of dates while its column is the same', () => {
    const day = target({ data_column: 'day', type: 'date', match: found('Day', 'remembered'), ambiguous: true, orders: ['DD/MM/YYYY', 'MM/DD/YYYY'], remembered_order: 'DD/MM/YYYY' });
    expect([orderOf(day, {}), lacksOrder(day, {}), isRememberedOrder(day, {})]).toEqual(['DD/MM/YYYY', false, true]);
    expect(groupOf(day, { mapping: {}, values: {} })).toBe('matched');
    expect(withOrders([day], {})).toEqual({ day: { from: 'Day', format: 'DD/MM/YYYY' } });
    expect(formatsOf([day], {})).toEqual({ day: 'DD/MM/YYYY' });
    const other = { day: { from: 'Day', format: 'MM/DD/YYYY' } };
    expect([orderOf(day, other), isRememberedOrder(day, other)]).toEqual(['MM/DD/YYYY', false]);
    expect(withOrders([day], other)).toBe(other);
    expect(formatsOf([day], other)).toEqual({ day: 'MM/DD/YYYY' });
    expect(lacksOrder(day, { day: 'Other' })).toBe(true);
    expect(formatsOf([day], { day: null })).toEqual({});
  });
  it('puts required columns on top', () => {
    const names = requiredFirst([target({ data_column: 'a', required: false }), target({ data_column: 'b' }), target({ data_column: 'c', required: false }), target({ data_column: 'd' })]);
    expect(names.map((one) => one.data_column)).toEqual(['b', 'd', 'a', 'c']);
  });
  it('counts the rows of open values', () => {
    expect(openValues(units, {}).map((item) => item.text)).toEqual(['Kilo', '?']);
    expect(openRows(units, {})).toBe(353);
    expect(openRows(units, { unit: { Kilo: { use: 'kg' } } })).toBe(12);
  });
  it('knows what is missing, unused and used twice', () => {
    const targets = [target({}), units];
    expect(missingOf(targets, {})).toEqual(['price']);
    expect(missingOf(targets, { price: 'ME' })).toEqual([]);
    expect(alsoUsedFor('ME', units, targets, { price: 'ME' })).toEqual(['price']);
    const sources = ['ME', 'Lagerort'].map((source_column) => ({ source_column, samples: [], cells: 1, blank: 0, used_for: [] }));
    expect(unusedOf(sources, targets, {}).map((one) => one.source_column)).toEqual(['Lagerort']);
    expect(setOf({ price: 'ME', unit: null })).toEqual(['ME=price']);
  });
});

describe('another header', () => {
  const mapping = { unit: 'ME', price: { from: 'EK netto', format: 'DD/MM/YYYY' }, group: null, first: 'column_3' };
  const values = { unit: { Kilo: { fail: true as const } }, currency: { EURO: { use: 'EUR' } } };
  it('keeps what is matched with columns that it has too', () => {
    expect(matchingFor(['me ', 'EK netto', ''], { mapping, values })).toBeNull();
  });
  it('takes the rest away, with the decisions about its values', () => {
    expect(matchingFor(['EK netto'], { mapping, values })).toEqual({ mapping: { price: mapping.price, group: null }, values: { currency: values.currency } });
  });
});
