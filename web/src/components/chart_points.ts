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

/** Layers one upon the other: the upper edge of each. Where one has a gap all have. */
export function stacked(layers: Point[][]): Point[][] {
  const length = Math.max(0, ...layers.map((layer) => layer.length));
  const gap = Array.from({ length }, (_, at) => layers.some((layer) => layer[at] === null || layer[at] === undefined));
  let below: number[] = Array.from({ length }, () => 0);
  return layers.map((layer) => {
    below = below.map((value, at) => value + (layer[at] ?? 0));
    return below.map((value, at) => (gap[at] ? null : value));
  });
}

/** The areas between two edges, as SVG paths, one for each stretch without a gap. */
export function areasOf(lower: Point[], upper: Point[], most: number, width: number, height: number): string[] {
  const above = linesOf(upper, most, width, height);
  const under = linesOf(lower.map((value, at) => (upper[at] === null || upper[at] === undefined ? null : value)), most, width, height);
  return above.map((line, at) => `${line.path}L${(under[at]?.path ?? '').slice(1).split('L').toReversed().join('L')}Z`);
}

/** The next round number at or above: axes grow in steps and do not shake. */
export function roundUp(value: number): number {
  // Small counts get an axis whose thirds are whole.
  if (value <= 3) return 3;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 3, 4.5, 6, 9, 12].map((factor) => factor * power).find((one) => one >= value) ?? 12 * power;
}
