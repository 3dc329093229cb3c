import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import type { TaskMap } from '@/api/schema';
import { formatDuration } from '@/format/times';
import { t } from '@/strings/import_page';
import { useColourScheme } from '@/theme/colour_scheme';
import styles from './import.module.css';

export type Square = TaskMap['chunks'][number];
export type ColourBy = 'state' | 'errors' | 'duration';

const kGap = 2;

type Paint = { fill: string | null; line: string | null; half?: boolean };

const byErrors = (failed: number): Paint =>
  failed === 0 ? { fill: '--grey-soft', line: '--hairline' } : failed < 100 ? { fill: 'amber-light', line: null } : failed < 1000 ? { fill: '--amber-fill', line: null } : { fill: '--red-fill', line: null };

function byState(one: Square): Paint {
  if (one.status === 'succeeded') return { fill: '--green-fill', line: null };
  if (one.status === 'running') return { fill: '--blue-fill', line: '--blue-fill', half: true };
  if (one.status === 'failed') return { fill: '--red-fill', line: null };
  if (one.status === 'cancelled') return { fill: '--grey-soft', line: '--hairline' };
  return one.attempts > 0 ? { fill: '--amber-fill', line: null } : { fill: null, line: '--control' };
}

const byDuration = (one: Square, longest: number): Paint => {
  if (one.duration_ms === null) return { fill: null, line: '--control' };
  const share = longest > 0 ? one.duration_ms / longest : 0;
  return share < 0.25 ? { fill: '--blue-soft', line: '--hairline' } : share < 0.5 ? { fill: 'blue-light', line: null } : share < 0.9 ? { fill: '--blue-fill', line: null } : { fill: '--violet-fill', line: null };
};

const paintOf = (one: Square, by: ColourBy, longest: number): Paint => (by === 'state' ? byState(one) : by === 'errors' ? byErrors(one.failed) : byDuration(one, longest));

/** What a square says: name, rows, state, duration. */
export function wordsOf(one: Square, name: string): string {
  return [name, t('squareRows', { rows: one.rows, failed: one.failed }), t('attempt', { count: one.attempts }), ...(one.duration_ms !== null ? [formatDuration(one.duration_ms)] : [])].join(', ');
}

interface Props {
  squares: Square[];
  by: ColourBy;
  columns: number;
  height: number;
  name: (one: Square) => string;
  label: string;
  onOpen: (one: Square) => void;
}

/** Squares in file order on a canvas; arrow keys walk over them, the line below says what one is. */
export function HeatMap({ squares, by, columns, height, name, label, onOpen }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useColourScheme();
  const [chosen, setChosen] = useState<number | null>(null);
  const longest = useMemo(() => Math.max(...squares.map((one) => one.duration_ms ?? 0), 0), [squares]);
  const lines = Math.ceil(squares.length / columns);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const draw = () => {
      const ratio = window.devicePixelRatio || 1;
      const width = element.clientWidth;
      element.width = width * ratio;
      element.height = lines * (height + kGap) * ratio;
      const pen = element.getContext('2d');
      if (!pen) return;
      pen.scale(ratio, ratio);
      const style = getComputedStyle(element);
      const mixed = { 'amber-light': mix(style, '--amber-fill'), 'blue-light': mix(style, '--blue-fill') } as Record<string, string>;
      const colour = (of: string) => mixed[of] ?? style.getPropertyValue(of).trim();
      const size = (width + kGap) / columns - kGap;
      squares.forEach((one, at) => {
        const x = (at % columns) * (size + kGap);
        const y = Math.floor(at / columns) * (height + kGap);
        const { fill, line, half } = paintOf(one, by, longest);
        if (fill) {
          pen.fillStyle = colour(fill);
          pen.fillRect(x, y, half ? size / 2 : size, height);
          if (half) {
            pen.fillStyle = colour('--blue-soft');
            pen.fillRect(x + size / 2, y, size / 2, height);
          }
        }
        if (line) {
          pen.strokeStyle = colour(line);
          pen.lineWidth = 1;
          pen.strokeRect(x + 0.5, y + 0.5, size - 1, height - 1);
        }
        if (at === chosen) {
          pen.strokeStyle = colour('--focus');
          pen.lineWidth = 2;
          pen.strokeRect(x, y, size, height);
        }
      });
    };
    draw();
    const sized = new ResizeObserver(draw);
    sized.observe(element);
    return () => sized.disconnect();
  }, [squares, by, columns, height, lines, longest, scheme, chosen]);

  const at = (event: MouseEvent): number | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const line = Math.floor((event.clientY - box.top) / (height + kGap));
    const found = line * columns + column;
    return column >= 0 && found >= 0 && found < squares.length ? found : null;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number | undefined> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setChosen((before) => Math.max(0, Math.min((before ?? -1) + move, squares.length - 1)));
    } else if (event.key === 'Enter' && chosen !== null && squares[chosen]) onOpen(squares[chosen]);
  };
  const one = chosen !== null ? squares[chosen] : undefined;
  return (
    <div className={styles.heat}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-roledescription="map"
        aria-label={one ? wordsOf(one, name(one)) : label}
        style={{ height: lines * (height + kGap) }}
        onMouseMove={(event) => setChosen(at(event))}
        onMouseLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const found = at(event);
          if (found !== null && squares[found]) onOpen(squares[found]);
        }}
      />
      {one ? <div className={styles.tip} aria-live="polite">{wordsOf(one, name(one))}</div> : null}
    </div>
  );
}

// Half of a hue over the surface, as the legend's square has it.
function mix(style: CSSStyleDeclaration, hue: string): string {
  return `color-mix(in srgb, ${style.getPropertyValue(hue).trim()} 50%, ${style.getPropertyValue('--surface').trim()})`;
}
