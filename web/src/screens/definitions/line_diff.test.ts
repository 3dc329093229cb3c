import { describe, expect, it } from 'vitest';
import { diffLines, fold } from './line_diff';

describe('lines side by side', () => {
  it('pairs what took the place of what', () => {
    const rows = diffLines('a\nb\nc\nd', 'a\nB\nc\nx\nd');
    expect(rows.map((row) => row.kind)).toEqual(['same', 'changed', 'same', 'came', 'same']);
    expect(rows[3]).toEqual({ kind: 'came', left: null, right: { line: 4, text: 'x' } });
  });
  it('shows every line of both texts once', () => {
    const [a, b] = ['1\n2\n3\n2\n1', '2\n3\n3\n1\n9'];
    const rows = diffLines(a, b);
    expect(rows.flatMap((row) => (row.left ? [row.left.text] : [])).join('\n')).toBe(a);
    expect(rows.flatMap((row) => (row.right ? [row.right.text] : [])).join('\n')).toBe(b);
  });
  it('folds what is the same, but not beside a change', () => {
    const text = Array.from({ length: 20 }, (_, at) => String(at)).join('\n');
    const folded = fold(diffLines(text, text.replace('19', 'x')));
    expect(folded[0]).toEqual({ kind: 'fold', count: 16 });
    expect(folded).toHaveLength(5);
  });
});
