import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { scrollMap } from './scroll_map';

const kOverscan = 10;
// The rows that are drawn change in steps, so that most scrolling moves what is there and draws nothing.
const kStep = 5;
const kLineOfWheel = 28;

export interface Viewport {
  /** rows that are drawn */
  from: number;
  to: number;
  height: number;
  view: { width: number; height: number };
  /** brings a row into sight, with as little movement as possible, or in the middle */
  reveal: (index: number, how?: 'nearest' | 'middle') => void;
  /** the first and the last row in sight */
  inSight: () => [number, number];
  offset: () => number;
}

/**
 * Which rows of very many are on the screen. Rows have one height, so their places are computed and nothing is measured or kept for
 * each of them: a list of 40 million costs what one of 40 costs. `place` is called whenever the offset changes, before it is painted.
 */
export function useViewport(scroller: RefObject<HTMLDivElement | null>, count: number, rowHeight: number, headHeight: number, place: (offset: number, from: number) => void): Viewport {
  const [view, setView] = useState({ width: 800, height: 600 });
  const map = useMemo(() => scrollMap(count, rowHeight, view.height - headHeight), [count, rowHeight, headHeight, view.height]);
  const offset = useRef(0);
  // The scrollbar's place that was set from here: its event says nothing new, and knows the offset less exactly.
  const setTop = useRef(-1);
  const [first, setFirst] = useState(0);
  const latest = useRef({ map, place, first });
  latest.current = { map, place, first };

  const settle = useCallback(() => {
    const { map: now, place: put, first: drawn } = latest.current;
    offset.current = Math.min(Math.max(offset.current, 0), now.furthest);
    const next = Math.floor(offset.current / rowHeight / kStep) * kStep;
    if (next !== drawn) setFirst(next);
    put(offset.current, Math.max(drawn - kOverscan, 0));
  }, [rowHeight]);

  const moveTo = useCallback(
    (wanted: number) => {
      const element = scroller.current;
      if (!element) return;
      const { map: now } = latest.current;
      offset.current = Math.min(Math.max(wanted, 0), now.furthest);
      element.scrollTop = now.toTop(offset.current);
      setTop.current = element.scrollTop;
      settle();
    },
    [scroller, settle],
  );

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onScroll = () => {
      if (Math.abs(element.scrollTop - setTop.current) > 0.5) {
        offset.current = latest.current.map.toOffset(element.scrollTop);
        setTop.current = -1;
      }
      settle();
    };
    // Where one pixel of the scrollbar is several rows, the wheel still moves by rows.
    const onWheel = (event: WheelEvent) => {
      if (!latest.current.map.mapped || event.ctrlKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? kLineOfWheel : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? element.clientHeight : 1;
      moveTo(offset.current + event.deltaY * unit);
    };
    const sized = new ResizeObserver(() => setView({ width: element.clientWidth, height: element.clientHeight }));
    sized.observe(element);
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      sized.disconnect();
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
    };
  }, [scroller, settle, moveTo]);

  const rowsInView = Math.max(Math.floor((view.height - headHeight) / rowHeight), 1);
  const from = Math.max(first - kOverscan, 0);
  const to = Math.min(first + rowsInView + kStep + kOverscan, Math.max(count - 1, 0));
  useLayoutEffect(() => {
    place(offset.current, from);
  });
  // A list that became shorter does not leave one below its end.
  useLayoutEffect(() => {
    if (offset.current > map.furthest) moveTo(map.furthest);
  }, [map, moveTo]);

  const reveal = useCallback(
    (index: number, how: 'nearest' | 'middle' = 'nearest') => {
      const space = (scroller.current?.clientHeight ?? 600) - headHeight;
      const top = index * rowHeight;
      if (how === 'middle') return moveTo(top - space / 2 + rowHeight);
      if (top < offset.current) moveTo(top);
      else if (top + rowHeight > offset.current + space) moveTo(top + rowHeight - space);
    },
    [headHeight, moveTo, rowHeight, scroller],
  );
  const inSight = useCallback((): [number, number] => {
    const space = (scroller.current?.clientHeight ?? 600) - headHeight;
    const start = Math.floor(offset.current / rowHeight);
    return [Math.min(start, Math.max(count - 1, 0)), Math.min(Math.ceil((offset.current + space) / rowHeight) - 1, Math.max(count - 1, 0))];
  }, [count, headHeight, rowHeight, scroller]);
  return { from, to, height: map.height + headHeight, view, reveal, inSight, offset: useCallback(() => offset.current, []) };
}
