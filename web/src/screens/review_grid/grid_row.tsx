import { IconAlertCircle, IconAlertTriangle, IconPencil, IconPlus, IconPoint, IconSquare, type Icon } from '@tabler/icons-react';
import { memo } from 'react';
import { smallIcon } from '@/components/icons';
import { formatNumber } from '@/format/numbers';
import { t } from '@/strings/grid';
import { Cell } from './cell';
import { Editor, type Editing } from './editor';
import { isFailed, type GridColumn, type GridRow } from './rows';
import { cellKey, type Refusal } from './use_edits';
import styles from './grid.module.css';

export interface ShownColumn {
  column: GridColumn;
  /** its place in the file */
  at: number;
  width: number;
  numeric: boolean;
}

type Mark = [Icon, string, Parameters<typeof t>[0]];

function markOf(row: GridRow): Mark {
  if (isFailed(row)) return [IconAlertCircle, 'red', 'rowFailed'];
  if (row.issues.length > 0) return [IconAlertTriangle, 'amber', 'rowWarning'];
  if (row.state === 'inserted') return [IconPlus, 'green', 'rowInserted'];
  if (row.state === 'updated') return [IconPencil, 'blue', 'rowUpdated'];
  if (row.state === 'unchanged') return [IconPoint, 'faint', 'rowUnchanged'];
  if (row.state === 'skipped') return [IconPoint, 'faint', 'rowSkipped'];
  return [IconSquare, 'faint', 'rowUnprocessed'];
}

interface Props {
  index: number;
  row: GridRow | undefined;
  frozen: ShownColumn[];
  /** those of the sliding columns that are in sight, and what stands left of them */
  sliding: ShownColumn[];
  slidingFrom: number;
  before: number;
  activeColumn: number;
  pending: ReadonlyMap<string, string>;
  refused: ReadonlyMap<string, Refusal>;
  fix: Record<string, string> | undefined;
  editing: Editing | null;
}

/** One row: number, mark and key stay put, the others slide. */
export const GridRowView = memo(function GridRowView({ index, row, frozen, sliding, slidingFrom, before, activeColumn, pending, refused, fix, editing }: Props) {
  if (!row)
    return (
      <div role="row" aria-rowindex={index + 2} className={`${styles.row} ${styles.loading}`}>
        <div role="gridcell" aria-label={t('row')} className={styles.cell} style={{ width: '100%' }}><i /></div>
      </div>
    );
  const [Picture, hue, word] = markOf(row);
  const failed = isFailed(row);
  const cell = (shown: ShownColumn, place: number) => {
    const key = cellKey(row.row, shown.column.source);
    const here = editing?.row === row.row && editing.column === shown.at;
    return (
      <Cell
        key={shown.at}
        id={`cell-${index}-${shown.at}`}
        row={row}
        column={shown.column}
        at={shown.at}
        place={place}
        width={shown.width}
        numeric={shown.numeric}
        active={activeColumn === shown.at}
        pending={pending.get(key)}
        unsent={fix?.[shown.column.source]}
        refused={refused.has(key)}
        editor={here ? <Editor editing={editing} label={t('editing', { column: shown.column.source, row: row.row })} /> : undefined}
      />
    );
  };
  return (
    <div role="row" aria-rowindex={index + 2} data-index={index} data-row={row.row} className={`${styles.row} ${failed ? styles.failedRow : ''} ${row.state === 'unchanged' && row.issues.length === 0 ? styles.same : ''} ${activeColumn >= 0 ? styles.current : ''}`}>
      <div role="rowheader" aria-colindex={1} className={`${styles.cell} ${styles.rowNumber}`}>{formatNumber(row.row)}</div>
      <div role="gridcell" aria-label={t(word)} className={`${styles.cell} ${styles.mark}`}><Picture {...smallIcon} className={hue} /></div>
      {frozen.map((one, at) => cell(one, at + 1))}
      <div role="presentation" className={styles.window}>
        <div role="presentation" className={styles.slide} style={{ paddingLeft: before }}>
          {sliding.map((one, at) => cell(one, frozen.length + slidingFrom + at + 1))}
        </div>
      </div>
    </div>
  );
});
