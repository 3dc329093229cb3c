import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue';

const t = catalogue({ rows: { one: '{count} row of {file}', other: '{count} rows of {file}' }, plain: 'nothing in it' });

describe('the catalogue', () => {
  it('has a form for one and a form for the others', () => {
    expect(t('rows', { count: 1, file: 'a' })).toBe('1 row of a');
    expect(t('rows', { count: 0, file: 'a' })).toBe('0 rows of a');
    expect(t('rows', { count: 48317, file: 'a' })).toBe('48,317 rows of a');
  });
  it('puts values in as text, also those that look like places', () => {
    expect(t('rows', { count: 2, file: '{count}$&' })).toBe('2 rows of {count}$&');
  });
});
