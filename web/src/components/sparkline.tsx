import { linesOf, type Point } from './chart_points';

interface Props {
  values: Point[];
  hue?: string;
  height?: number;
  /** what it shows, for those who do not see it; without: it only repeats what stands beside it */
  label?: string;
}

const kWidth = 160;

/** A small line over its area; gaps stay gaps. */
export function Sparkline({ values, hue = 'grey', height = 22, label }: Props) {
  const most = Math.max(1, ...values.map((value) => value ?? 0));
  const lines = linesOf(values, most, kWidth, height - 2);
  return (
    <svg viewBox={`0 0 ${kWidth} ${height}`} width="100%" height={height} preserveAspectRatio="none" {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}>
      {lines.map((line) => (
        <g key={line.from}>
          <path d={`${line.path}L${line.to},${height}L${line.from},${height}Z`} fill={`var(--${hue}-soft)`} />
          <path d={line.path} fill="none" stroke={`var(--${hue}-fill)`} strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
        </g>
      ))}
    </svg>
  );
}

/** One bar a slot, for counts that are often 0. */
export function SparkBars({ values, hue = 'grey', height = 20, label }: { values: number[]; hue?: string; height?: number; label: string }) {
  const most = Math.max(1, ...values);
  const width = 100 / Math.max(values.length, 1);
  return (
    <svg viewBox={`0 0 100 ${height}`} width="100%" height={height} preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={`M0,${height - 0.5}H100`} stroke="var(--hairline)" vectorEffect="non-scaling-stroke" />
      {values.map((value, at) => (value > 0 ? <rect key={at} x={at * width + width * 0.15} width={width * 0.7} y={height - Math.max(2, (value / most) * height)} height={Math.max(2, (value / most) * height)} fill={`var(--${hue}-fill)`} /> : null))}
    </svg>
  );
}
