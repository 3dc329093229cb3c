import { useState, type PointerEvent } from 'react';
import { formatNumber, formatShort } from '@/format/numbers';
import { formatClock, formatClockSeconds } from '@/format/times';
import { t } from '@/strings/ops';
import { areasOf, linesOf, roundUp, stacked, type Point } from './chart_points';
import { Scroll } from './scroll';
import styles from './area_chart.module.css';

export interface Layer {
  name: string;
  /** of the theme, such as "green" */
  hue: string;
  /** light inside, for what is of less weight */
  light?: boolean;
  values: Point[];
}

interface Props {
  /** what the values are, such as "Rows per second" */
  label: string;
  /** milliseconds, by the server's clock */
  times: number[];
  /** their sums, which the axis follows */
  values: Point[];
  /** what the sums are made of, the lowest first; those that are always 0 are left out */
  layers: Layer[];
  asTable: boolean;
}

const kWidth = 1000;
const kHeight = 190;
const kLines = [1, 2 / 3, 1 / 3, 0];

const isMeasured = (value: Point): value is number => value !== null && value !== undefined;
const shown = (value: Point): string => (isMeasured(value) ? formatNumber(Math.round(value)) : '–');

function Readout({ at, times, values, layers, label }: Omit<Props, 'asTable'> & { at: number | null }) {
  if (at === null || times[at] === undefined) return <div className={styles.read} />;
  const value = values[at];
  if (!isMeasured(value)) return <div className={styles.read}>{formatClockSeconds(times[at])}: {t('notMeasured')}</div>;
  const parts = layers.filter((layer) => (layer.values[at] ?? 0) > 0).map((layer) => `${shown(layer.values[at])} ${layer.name}`);
  return <div className={styles.read}>{formatClockSeconds(times[at])}: {shown(value)} {label.toLowerCase()}{parts.length > 0 ? `: ${parts.join(', ')}` : ''}</div>;
}

function Table({ times, values, layers, label }: Omit<Props, 'asTable'>) {
  return (
    <div style={{ maxHeight: 232, overflowY: 'auto' }} tabIndex={0} role="region" aria-label={label}>
      <Scroll label={label}>
        <table>
          <thead><tr><th>{t('time')}</th><th className="n">{label}</th>{layers.map((layer) => <th key={layer.name} className="n">{layer.name}</th>)}</tr></thead>
          <tbody>{times.map((time, at) => <tr key={time}><td className="num">{formatClockSeconds(time)}</td><td className="n">{shown(values[at])}</td>{layers.map((layer) => <td key={layer.name} className="n">{shown(layer.values[at])}</td>)}</tr>).toReversed()}</tbody>
        </table>
      </Scroll>
    </div>
  );
}

function Legend({ layers }: { layers: Layer[] }) {
  return <div className={styles.legend}>{layers.map((layer) => <span key={layer.name}><i className={`sq ${layer.light ? 'skip' : layer.hue}`} />{layer.name}</span>)}</div>;
}

/** Areas one upon the other, with times below; what is under the pointer is read out in a line that is always there. */
export function AreaChart({ label, times, values, layers: all, asTable }: Props) {
  const [at, setAt] = useState<number | null>(null);
  // The axis grows in steps and does not shrink while it is looked at.
  const [top, setTop] = useState(1);
  const most = roundUp(Math.max(1, ...values.map((value) => value ?? 0)));
  if (most > top) setTop(most);
  const layers = all.filter((layer) => layer.values.some((value) => (value ?? 0) > 0));
  if (asTable) return <Table times={times} values={values} layers={layers} label={label} />;
  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(Math.round(((event.clientX - box.left) / box.width) * (times.length - 1)));
  };
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => times[Math.round(share * (times.length - 1))]);
  const edges = stacked(layers.map((layer) => layer.values));
  const floor = values.map(() => 0);
  return (
    <div className={styles.chart}>
      <Readout at={at} times={times} values={values} layers={layers} label={label} />
      <div className={styles.plot} onPointerMove={follow} onPointerLeave={() => setAt(null)}>
        {kLines.map((share) => <div key={share} className={styles.grid} style={{ top: `${(1 - share) * 100}%` }}><span>{formatShort(Math.round(top * share))}</span></div>)}
        <svg viewBox={`0 0 ${kWidth} ${kHeight}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {layers.map((layer, index) => (
            <g key={layer.name}>
              {areasOf(edges[index - 1] ?? floor, edges[index]!, top, kWidth, kHeight - 1).map((path) => <path key={path} d={path} fill={`var(--${layer.hue}-${layer.light ? 'soft' : 'fill'})`} stroke={`var(--${layer.hue}-fill)`} strokeWidth="1" vectorEffect="non-scaling-stroke" />)}
            </g>
          ))}
          {layers.length === 0 ? linesOf(values, top, kWidth, kHeight - 1).map((line) => <path key={line.from} d={line.path} fill="none" stroke="var(--blue-fill)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />) : null}
        </svg>
        {at === null ? null : <div className={styles.cursor} style={{ left: `${(at / Math.max(times.length - 1, 1)) * 100}%` }} />}
      </div>
      <div className={styles.axis} aria-hidden="true">{marks.map((time, index) => <span key={index}>{time === undefined ? '' : formatClock(time)}</span>)}</div>
      <Legend layers={layers} />
    </div>
  );
}
