import { useState } from 'react';
import { visible } from '@/format/cells';
import { t } from '@/strings/definitions';
import { kRow, wayOf, type Flow as Shape, type Place, type Way } from './flow_places';
import styles from './definitions.module.css';

const kTop = 28;
const kWidth = 70;
const kMiddle = 13;

function Lines({ ways, from, to, height, lit }: { ways: Way[]; from: Place[]; to: Place[]; height: number; lit: ReadonlySet<string> }) {
  const tops = new Map([...from, ...to].map((place) => [place.key, place.top + kTop + kMiddle]));
  return (
    <svg className={styles.lines} viewBox={`0 0 ${kWidth} ${height + kTop}`} width={kWidth} height={height + kTop} preserveAspectRatio="none" aria-hidden="true">
      {ways.map((way) => {
        const [y1, y2] = [tops.get(way.from), tops.get(way.to)];
        if (y1 === undefined || y2 === undefined) return null;
        return <path key={`${way.from} ${way.to}`} data-on={(lit.has(way.from) && lit.has(way.to)) || undefined} d={`M0,${y1}C${kWidth / 2},${y1} ${kWidth / 2},${y2} ${kWidth},${y2}`} />;
      })}
    </svg>
  );
}

function Column({ title, places, lit, onPoint, strong }: { title: string; places: Place[]; lit: ReadonlySet<string>; onPoint: (key: string | null) => void; strong?: boolean }) {
  return (
    <div className={styles.column}>
      <h3>{title}</h3>
      {places.map((place) => (
        <button key={place.key} type="button" className={`${styles.node} ${strong ? styles.step : ''}`} data-on={lit.has(place.key) || undefined} style={{ top: place.top + kTop, height: kRow - 6 }} title={place.label}
          onPointerEnter={() => onPoint(place.key)} onPointerLeave={() => onPoint(null)} onFocus={() => onPoint(place.key)} onBlur={() => onPoint(null)}>
          <b>{visible(place.label)}</b><span>{place.note}</span>
        </button>
      ))}
    </div>
  );
}

/** Columns of the file, what becomes of them, and the lines between; pointing at one lights its way. */
export function Flow({ flow }: { flow: Shape }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const lit = wayOf(chosen, flow.ways.flat());
  const [sources, middle, ends] = flow.columns;
  const steps = flow.middle === 'steps';
  return (
    <div className="scrollX" role="region" aria-label={t('read')} tabIndex={0}>
      <div className={styles.flow} style={{ height: flow.height + kTop + 20 }}>
        <Column title={t('sources')} places={sources} lit={lit} onPoint={setChosen} />
        <Lines ways={flow.ways[0]} from={sources} to={middle} height={flow.height} lit={lit} />
        <Column title={t(steps ? 'steps' : 'targets')} places={middle} lit={lit} onPoint={setChosen} strong={steps} />
        <Lines ways={flow.ways[1]} from={middle} to={ends} height={flow.height} lit={lit} />
        <Column title={t(steps ? 'targets' : 'tables')} places={ends} lit={lit} onPoint={setChosen} strong={!steps} />
      </div>
    </div>
  );
}
