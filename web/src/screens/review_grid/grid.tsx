import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode, type Ref } from 'react';
import { t } from '@/strings/grid';
import { usePreferences } from '@/theme/preferences';
import type { Editing } from './editor';
import { GridRowView, type ShownColumn } from './grid_row';
import type { GridRow } from './rows';
import type { Refusal } from './use_edits';
import { useViewport } from './use_viewport';
import styles from './grid.module.css';

export interface Active {
  /** place of the row among those that fit the filter */
  index: number;
  /** place of the column in the file */
  column: number;
}

export interface GridHandle {
  reveal: (index: number, how?: 'nearest' | 'middle') => void;
  focus: () => void;
}

interface Props {
  ref: Ref<GridHandle>;
  label: string;
  count: number;
  columns: ShownColumn[];
  rowAt: (index: number) => GridRow | undefined;
  active: Active;
  onActive: (next: Active) => void;
  /** the rows in sight, when they change */
  onRange: (first: number, last: number) => void;
  onKey: (event: KeyboardEvent) => boolean;
  onEdit: (typed: string | null) => void;
  pending: ReadonlyMap<string, string>;
  refused: ReadonlyMap<string, Refusal>;
  fixes: ReadonlyMap<number, Record<string, string>>;
  editing: Editing | null;
  /** stands beside the active cell; null: nothing */
  pop: ReactNode;
  map: ReactNode;
}

const kNumberWidth = 74 + 26;

export function rowHeightOf(density: string): number {
  return density === 'comfortable' ? 36 : 28;
}

/** A grid of any number of rows: one tab stop, arrow keys move, what is out of sight is not there. */
export function Grid(props: Props) {
  const { count, columns, rowAt, active, onActive, editing } = props;
  const { density } = usePreferences();
  const rowHeight = rowHeightOf(density);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  const pop = useRef<HTMLDivElement>(null);

  const frozen = useMemo(() => columns.filter((one) => one.column.key).slice(0, 1), [columns]);
  const frozenWidth = kNumberWidth + frozen.reduce((sum, one) => sum + one.width, 0);
  const [space, setSpace] = useState(0);
  // What is left over goes to the last column, so that no empty strip stands beside it.
  const sliding = useMemo(() => {
    const list = columns.filter((one) => !frozen.includes(one));
    const rest = space - frozenWidth - list.reduce((sum, one) => sum + one.width, 0);
    return rest > 0 && list.length > 0 ? [...list.slice(0, -1), { ...list.at(-1)!, width: list.at(-1)!.width + rest }] : list;
  }, [columns, frozen, frozenWidth, space]);
  const slidingWidth = sliding.reduce((sum, one) => sum + one.width, 0);
  const across = useVirtualizer({ horizontal: true, count: sliding.length, getScrollElement: () => scroller.current, estimateSize: (at) => sliding[at]?.width ?? 100, paddingStart: frozenWidth, overscan: 4 });
  useEffect(() => across.measure(), [across, sliding]);

  const leftOf = (column: number): number => {
    let left = kNumberWidth;
    for (const one of frozen) {
      if (one.at === column) return left;
      left += one.width;
    }
    left -= scroller.current?.scrollLeft ?? 0;
    for (const one of sliding) {
      if (one.at === column) return left;
      left += one.width;
    }
    return left;
  };
  const latest = useRef({ active, leftOf });
  latest.current = { active, leftOf };
  const inSight = useRef<(() => [number, number]) | null>(null);
  const told = useRef('');
  const { onRange } = props;
  const place = useCallback(
    (offset: number, from: number) => {
      const box = scroller.current;
      if (rows.current) rows.current.style.transform = `translate3d(0, ${from * rowHeight - offset}px, 0)`;
      if (box) box.style.setProperty('--grid-x', `${box.scrollLeft}px`);
      if (pop.current && box) {
        const { active: at, leftOf: left } = latest.current;
        const top = (at.index + 1) * rowHeight - offset + 4;
        const space = box.clientHeight - rowHeight;
        const height = pop.current.offsetHeight;
        const above = top + height > space && at.index * rowHeight - offset - height - 4 > 0;
        const x = Math.max(8, Math.min(left(at.column) - 30, box.clientWidth - pop.current.offsetWidth - 8));
        pop.current.style.transform = `translate(${x}px, ${above ? at.index * rowHeight - offset - height - 4 : top}px)`;
        pop.current.style.visibility = top < rowHeight / 2 || top - rowHeight > space ? 'hidden' : 'visible';
      }
      const sight = inSight.current?.();
      if (sight && told.current !== sight.join()) {
        told.current = sight.join();
        onRange(sight[0], sight[1]);
      }
    },
    [rowHeight, onRange],
  );
  const port = useViewport(scroller, count, rowHeight, rowHeight, place);
  inSight.current = port.inSight;
  useEffect(() => setSpace(port.view.width), [port.view.width]);

  const revealColumn = useCallback(
    (column: number) => {
      const box = scroller.current;
      const at = sliding.findIndex((one) => one.at === column);
      if (!box || at < 0) return;
      const left = sliding.slice(0, at).reduce((sum, one) => sum + one.width, 0);
      const space = box.clientWidth - frozenWidth;
      if (left < box.scrollLeft) box.scrollLeft = left;
      else if (left + sliding[at]!.width > box.scrollLeft + space) box.scrollLeft = left + sliding[at]!.width - space;
    },
    [sliding, frozenWidth],
  );
  const { reveal } = port;
  useImperativeHandle(props.ref, () => ({ reveal, focus: () => scroller.current?.focus({ preventScroll: true }) }), [reveal]);
  useEffect(() => revealColumn(active.column), [active.column, revealColumn]);

  const order = useMemo(() => [...frozen, ...sliding].map((one) => one.at), [frozen, sliding]);
  const go = (rowsDown: number, columnsRight: number) => {
    const index = Math.max(0, Math.min(active.index + rowsDown, count - 1));
    const at = Math.max(0, Math.min(order.indexOf(active.column) + columnsRight, order.length - 1));
    onActive({ index, column: order[at] ?? 0 });
    port.reveal(index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || props.onKey(event)) return;
    const page = Math.max(1, Math.floor(port.view.height / rowHeight) - 2);
    const control = event.ctrlKey || event.metaKey;
    const moves: Record<string, [number, number] | undefined> = {
      ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [page, 0], PageUp: [-page, 0],
      Home: control ? [-count, -order.length] : [0, -order.length], End: control ? [count, order.length] : [0, order.length],
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      return go(...move);
    }
    if (event.key === 'F2') {
      event.preventDefault();
      return props.onEdit(null);
    }
    if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      return props.onEdit('');
    }
  };
  const onClick = (event: MouseEvent) => {
    // In the editor a click sets the cursor, and two of them mark a word.
    if (event.target instanceof HTMLInputElement) return;
    const cell = (event.target as HTMLElement).closest<HTMLElement>('[role="gridcell"], [role="rowheader"]');
    const row = cell?.closest<HTMLElement>('[data-index]');
    if (!row) return;
    const column = cell?.dataset.column;
    onActive({ index: Number(row.dataset.index), column: column === undefined ? active.column : Number(column) });
    if (event.detail === 2 && column !== undefined) props.onEdit(null);
  };
  useEffect(() => {
    if (!editing) return;
    return () => scroller.current?.focus({ preventScroll: true });
  }, [editing?.row, editing?.column]);

  const drawn = across.getVirtualItems();
  const [columnFrom, columnTo] = [drawn[0]?.index ?? 0, (drawn.at(-1)?.index ?? -1) + 1];
  const shown = useMemo(() => sliding.slice(columnFrom, columnTo), [sliding, columnFrom, columnTo]);
  const before = (drawn[0]?.start ?? frozenWidth) - frozenWidth;
  const indices = Array.from({ length: count === 0 ? 0 : port.to - port.from + 1 }, (_, at) => port.from + at);
  const header = (one: ShownColumn, at: number) => (
    <div key={one.at} role="columnheader" aria-colindex={at + 2} className={`${styles.cell} ${one.numeric ? styles.number : ''}`} style={{ width: one.width }} title={one.column.data.join(', ') || undefined}><b>{one.column.source}</b></div>
  );
  return (
    <div className={styles.area} style={{ '--grid-row': `${rowHeight}px` } as never}>
      <div
        ref={scroller}
        role="grid"
        tabIndex={0}
        aria-label={props.label}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={indices.includes(active.index) ? `cell-${active.index}-${active.column}` : undefined}
        className={styles.scroller}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div role="presentation" className={styles.extent} style={{ height: port.height, width: frozenWidth + slidingWidth }}>
          <div role="presentation" className={styles.view} style={{ width: port.view.width, height: port.view.height }}>
            <div role="row" aria-rowindex={1} className={`${styles.row} ${styles.head}`}>
              <div role="columnheader" aria-colindex={1} className={`${styles.cell} ${styles.rowNumber}`}>{t('row')}</div>
              <div role="presentation" className={`${styles.cell} ${styles.mark}`} />
              {frozen.map((one, at) => header(one, at))}
              <div role="presentation" className={styles.window}><div role="presentation" className={styles.slide} style={{ paddingLeft: before }}>{shown.map((one, at) => header(one, frozen.length + columnFrom + at))}</div></div>
            </div>
            <div role="presentation" className={styles.body} style={{ height: port.view.height - rowHeight }}>
              <div role="rowgroup" ref={rows} className={styles.rows}>
                {indices.map((index) => {
                  const row = rowAt(index);
                  return (
                    <GridRowView
                      key={index}
                      index={index}
                      row={row}
                      frozen={frozen}
                      sliding={shown}
                      slidingFrom={columnFrom}
                      before={before}
                      activeColumn={index === active.index ? active.column : -1}
                      pending={props.pending}
                      refused={props.refused}
                      fix={row ? props.fixes.get(row.row) : undefined}
                      editing={editing && row && editing.row === row.row ? editing : null}
                    />
                  );
                })}
              </div>
            </div>
          </div>
        </div>
      </div>
      {props.map}
      <div className={styles.over}>{props.pop ? <div ref={pop} className={styles.pop}>{props.pop}</div> : null}</div>
    </div>
  );
}
