import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ImportSeries } from '@/api/schema';
import { formatShort } from '@/format/numbers';
import { formatClockSeconds } from '@/format/times';
import { phases as phaseWords } from '@/strings/general';
import { t } from '@/strings/import_page';
import { useColourScheme } from '@/theme/colour_scheme';
import { niceTop, type Rates } from './rates';
import styles from './import.module.css';

const kHeight = 132;
const marked = ['analyse', 'review', 'process'] as const;

interface Mark {
  at: number;
  word: string;
}

function marksOf(metrics: ImportSeries): Mark[] {
  return metrics.phases.flatMap((one) => {
    const phase = marked.find((name) => name === one.phase);
    return phase ? [{ at: Date.parse(one.started_at) / 1000, word: phaseWords(phase) }] : [];
  });
}

/** Dotted lines where a phase begins, with its name. */
function drawMarks(plot: uPlot, marks: Mark[], colour: string, textColour: string): void {
  const pen = plot.ctx;
  const ratio = devicePixelRatio || 1;
  const { left, top, width, height } = plot.bbox;
  pen.save();
  pen.font = `${11 * ratio}px "Inter Variable", sans-serif`;
  pen.lineWidth = ratio;
  pen.textAlign = 'left';
  pen.textBaseline = 'alphabetic';
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark.at, 'x', true));
    if (x < left || x > left + width) continue;
    pen.strokeStyle = colour;
    pen.setLineDash([2 * ratio, 3 * ratio]);
    pen.beginPath();
    pen.moveTo(x, top - 8 * ratio);
    pen.lineTo(x, top + height);
    pen.stroke();
    pen.fillStyle = textColour;
    if (x + 60 * ratio < left + width) pen.fillText(mark.word, x + 4 * ratio, top - 3 * ratio);
  }
  pen.restore();
}

/** Rows a second over time. The axis grows in steps and never shrinks; what is pointed at is read out in a line of its own. */
export default function ThroughputPlot({ metrics, rates }: { metrics: ImportSeries; rates: Rates }) {
  const box = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const top = useRef(0);
  const marks = useRef<Mark[]>([]);
  marks.current = marksOf(metrics);
  top.current = Math.max(top.current, niceTop(Math.max(...rates.perSecond, 1)));
  const scheme = useColourScheme();
  const latest = useRef(rates);
  latest.current = rates;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour('--text-3'), font: '11px "Inter Variable", sans-serif', ticks: { show: false }, grid: { stroke: colour('--hairline'), width: 1 } };
    const made = new uPlot(
      {
        width: element.clientWidth,
        height: kHeight,
        padding: [14, 0, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { size: 6 } },
        scales: { x: { time: true }, y: { range: () => [0, top.current] } },
        axes: [
          { ...axis, size: 22, gap: 4, grid: { show: false }, splits: (_, __, from, to) => [0.09, 0.5, 0.91].map((share) => from + (to - from) * share), values: (_, values) => values.map((one) => formatClockSeconds(one * 1000)) },
          { ...axis, size: 38, gap: 6, splits: () => [0, top.current / 3, (top.current * 2) / 3, top.current], values: (_, values) => values.map((one) => formatShort(one)) },
        ],
        series: [{}, { stroke: colour('--blue-fill'), width: 1.5, fill: colour('--blue-soft'), points: { show: false } }],
        hooks: {
          draw: [(self) => drawMarks(self, marks.current, colour('--control'), colour('--text-2'))],
          setCursor: [
            (self) => {
              const at = self.cursor.idx;
              const time = at === null || at === undefined ? undefined : self.data[0][at];
              const value = at === null || at === undefined ? undefined : self.data[1]?.[at];
              if (readout.current) readout.current.textContent = time === undefined || value == null ? '' : `${formatClockSeconds(time * 1000)}  ${t('perSecond', { count: Math.round(value) })}`;
            },
          ],
        },
      },
      [latest.current.times, latest.current.perSecond],
      element,
    );
    plot.current = made;
    const sized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: kHeight }));
    sized.observe(element);
    return () => {
      sized.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [scheme]);
  useEffect(() => plot.current?.setData([rates.times, rates.perSecond]), [rates]);
  return (
    <>
      <div ref={box} role="img" aria-label={t('chartLabel')} style={{ height: kHeight }} />
      <div ref={readout} className={styles.readout} />
    </>
  );
}
