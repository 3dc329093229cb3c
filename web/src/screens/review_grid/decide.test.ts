import { expect, it } from 'vitest';
import { approveWords } from './decide';
import { suggestionOf } from './issue_pop';
import type { GridIssue } from './rows';

const found = { insert: 0, update: 0, delete: 0, unchanged: 5, skip: 0, fail: 0, remove: 0 };
const issue = (hint: string): GridIssue => ({ severity: 'error', code: 'x', column: 'y', source: 0, value: '', message: '', hint });

it('the button carries the numbers', () => {
  expect(approveWords({ ...found, insert: 1204, update: 3862 })).toBe('Import 1,204 new and 3,862 changed');
  expect(approveWords({ ...found, update: 2 })).toBe('Import 2 changed');
  expect(approveWords({ ...found, insert: 1, update: 2, delete: 3 })).toBe('Import 1 new, 2 changed and 3 deleted');
  expect(approveWords(found)).toBe('Finish without changes');
});

it('a suggestion is what the server says it means', () => {
  expect(suggestionOf(issue("did you mean 'NL'?"))).toBe('NL');
  expect(suggestionOf(issue('Did you mean “1.204,50”?'))).toBe('1.204,50');
  expect(suggestionOf(issue('one of EUR, CHF'))).toBeNull();
  expect(suggestionOf(null)).toBeNull();
});
