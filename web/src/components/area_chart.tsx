import { useState, type PointerEvent } from 'react';
import { formatNumber, formatShort } from '@/format/numbers';
import { formatClock, formatClockSeconds } from '@/format/times';
import { t } from '@/strings/ops';
import { linesOf, roundUp, type Point } from './chart_points';
import { Scroll } from './scroll';
import styles from './area_chart.module.css';

interface Props {
  /** what the values are, such as "Rows per second" */
  label: string;
  /** milliseconds, by the server's clock */
  times: number[];
  values: Point[];
  asTable: boolean;
}

const kWidth = 1000;
const kHeight = 190;
const kLines = [1, 2 / 3, 1 / 3, 0];

function Readout({ at, times, values, label }: Omit<Props, 'asTable'> & { at: number | null }) {
  if (at === null || times[at] === undefined) return <div className={styles.read} />;
  const value = values[at];
  return <div className={styles.read}>{formatClockSeconds(times[at])}: {value === null || value === undefined ? t('notMeasured') : `${formatNumber(value)} ${label.toLowerCase()}`}</div>;
}

function Table({ times, values, label }: Omit<Props, 'asTable'>) {
  return (
    <div style={{ maxHeight: 232, overflowY: 'auto' }} tabIndex={0} role="region" aria-label={label}>
      <Scroll label={label}>
        <table>
          <thead><tr><th>{t('time')}</th><th className="n">{label}</th></tr></thead>
          <tbody>{times.map((time, at) => <tr key={time}><td className="num">{formatClockSeconds(time)}</td><td className="n">{values[at] === null || values[at] === undefined ? '–' : formatNumber(values[at]!)}</td></tr>).toReversed()}</tbody>
        </table>
      </Scroll>
    </div>
  );
}

/** A line over its area, with times below; what is under the pointer is read out in a line that is always there. */
export function AreaChart(props: Props) {
  const { times, values, label } = props;
  const [at, setAt] = useState<number | null>(null);
  // The axis grows in steps and does not shrink while it is looked at.
  const [top, setTop] = useState(1);
  const most = roundUp(Math.max(1, ...values.map((value) => value ?? 0)));
  if (most > top) setTop(most);
  if (props.asTable) return <Table times={times} values={values} label={label} />;
  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    setAt(Math.round(((event.clientX - box.left) / box.width) * (times.length - 1)));
  };
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => times[Math.round(share * (times.length - 1))]);
  return (
    <div className={styles.chart}>
      <Readout at={at} times={times} values={values} label={label} />
      <div className={styles.plot} onPointerMove={follow} onPointerLeave={() => setAt(null)}>
        {kLines.map((share) => <div key={share} className={styles.grid} style={{ top: `${(1 - share) * 100}%` }}><span>{formatShort(Math.round(top * share))}</span></div>)}
        <svg viewBox={`0 0 ${kWidth} ${kHeight}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {linesOf(values, top, kWidth, kHeight - 1).map((line) => (
            <g key={line.from}>
              <path d={`${line.path}L${line.to},${kHeight}L${line.from},${kHeight}Z`} fill="var(--blue-soft)" />
              <path d={line.path} fill="none" stroke="var(--blue-fill)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
            </g>
          ))}
        </svg>
        {at === null ? null : <div className={styles.cursor} style={{ left: `${(at / Math.max(times.length - 1, 1)) * 100}%` }} />}
      </div>
      <div className={styles.axis} aria-hidden="true">{marks.map((time, index) => <span key={index}>{time === undefined ? '' : formatClock(time)}</span>)}</div>
    </div>
  );
}
