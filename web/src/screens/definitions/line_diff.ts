export interface DiffRow {
  kind: 'same' | 'gone' | 'came' | 'changed';
  left: { line: number; text: string } | null;
  right: { line: number; text: string } | null;
}

/** How many lines from the ends on are common: they need no table. */
function common(a: string[], b: string[]): [number, number] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [start, end];
}

/** Lengths of the longest common part from each pair of lines on. */
function lengths(a: string[], b: string[]): Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) table[i]![j] = a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
}

/** Two texts side by side: lines that stand opposite each other are the same, or one took the place of the other. */
export function diffLines(before: string, after: string): DiffRow[] {
  const a = before.split('\n');
  const b = after.split('\n');
  const [start, end] = common(a, b);
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const table = lengths(left, right);
  const rows: DiffRow[] = [];
  const same = (i: number, j: number) => rows.push({ kind: 'same', left: { line: i + 1, text: a[i]! }, right: { line: j + 1, text: b[j]! } });
  for (let i = 0; i < start; i += 1) same(i, i);
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) same(start + i++, start + j++);
    else {
      const gone: number[] = [];
      const came: number[] = [];
      while ((i < left.length || j < right.length) && !(i < left.length && j < right.length && left[i] === right[j])) {
        if (j >= right.length || (i < left.length && table[i + 1]![j]! >= table[i]![j + 1]!)) gone.push(start + i++);
        else came.push(start + j++);
      }
      for (let at = 0; at < Math.max(gone.length, came.length); at += 1) {
        const [x, y] = [gone[at], came[at]];
        rows.push({
          kind: x === undefined ? 'came' : y === undefined ? 'gone' : 'changed',
          left: x === undefined ? null : { line: x + 1, text: a[x]! },
          right: y === undefined ? null : { line: y + 1, text: b[y]! },
        });
      }
    }
  }
  for (let at = end; at > 0; at -= 1) same(a.length - at, b.length - at);
  return rows;
}

export type Folded = DiffRow | { kind: 'fold'; count: number };

/** Long stretches without a change become one line. */
export function fold(rows: DiffRow[], around = 3): Folded[] {
  const near = rows.map((_, at) => rows.slice(Math.max(0, at - around), at + around + 1).some((row) => row.kind !== 'same'));
  const folded: Folded[] = [];
  for (const [at, row] of rows.entries()) {
    const last = folded.at(-1);
    if (near[at]) folded.push(row);
    else if (last?.kind === 'fold') last.count += 1;
    else folded.push({ kind: 'fold', count: 1 });
  }
  return folded;
}
