/** null: nothing was measured */
export type Point = number | null | undefined;

export interface Line {
  /** where it begins and ends, across */
  from: number;
  to: number;
  path: string;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

/** Values as lines of an SVG path, one for each stretch without a gap. */
export function linesOf(values: Point[], most: number, width: number, height: number): Line[] {
  const lines: Line[] = [];
  const step = values.length > 1 ? width / (values.length - 1) : width;
  let open: Line | null = null;
  for (const [at, value] of values.entries()) {
    if (value === null || value === undefined) {
      open = null;
      continue;
    }
    const x = rounded(at * step);
    const y = rounded(height - (Math.min(value, most) / most) * height + 1);
    if (!open) lines.push((open = { from: x, to: x, path: `M${x},${y}` }));
    else {
      open.path += `L${x},${y}`;
      open.to = x;
    }
  }
  return lines;
}

/** The next round number at or above: axes grow in steps and do not shake. */
export function roundUp(value: number): number {
  // Small counts get an axis whose thirds are whole.
  if (value <= 3) return 3;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 3, 4.5, 6, 9, 12].map((factor) => factor * power).find((one) => one >= value) ?? 12 * power;
}
