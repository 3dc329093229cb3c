import { useEffect, useRef } from 'react';
import type { RowMap } from '@/api/schema';
import { t } from '@/strings/grid';
import { useColourScheme } from '@/theme/colour_scheme';
import styles from './grid.module.css';

// What lies on top is drawn last: an error is never hidden by a change beside it.
const layers = [['inserted', 'green', 0.7], ['updated', 'blue', 0.7], ['warning', 'amber', 1], ['edited', 'violet', 1], ['failed', 'red', 1]] as const;

interface Props {
  map: RowMap | undefined;
  /** rows in sight, as parts of the whole */
  from: number;
  to: number;
  onJump: (share: number) => void;
}

/** Beside the scrollbar: where in the file changes and errors are. */
export function RowMapView({ map, from, to, onJump }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useColourScheme();
  useEffect(() => {
    const element = canvas.current;
    if (!element || !map) return;
    const draw = () => {
      const ratio = window.devicePixelRatio || 1;
      const [width, height] = [element.clientWidth, element.clientHeight];
      element.width = width * ratio;
      element.height = height * ratio;
      const pen = element.getContext('2d');
      if (!pen) return;
      pen.scale(ratio, ratio);
      const style = getComputedStyle(element);
      const slots = Math.max(map.failed.length, 1);
      for (const [name, hue, alpha] of layers) {
        pen.fillStyle = style.getPropertyValue(`--${hue}-fill`);
        pen.globalAlpha = alpha;
        const thick = name === 'failed' ? 3 : 2;
        map[name].forEach((count, at) => {
          if (count > 0) pen.fillRect(0, Math.min((at / slots) * height, height - thick), width, Math.max(thick, Math.min(height / slots, height)));
        });
      }
    };
    draw();
    const sized = new ResizeObserver(draw);
    sized.observe(element);
    return () => sized.disconnect();
  }, [map, scheme]);
  return (
    <div className={styles.map}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t('map')}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          onJump((event.clientY - box.top) / box.height);
        }}
      />
      <div className={styles.here} style={{ top: `${from * 100}%`, height: `${Math.max((to - from) * 100, 0.5)}%` }} />
    </div>
  );
}
