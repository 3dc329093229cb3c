import { memo, type ReactNode } from 'react';
import { visible } from '@/format/cells';
import { t } from '@/strings/grid';
import { asFileWrites, changeAt, issueAt, type GridColumn, type GridRow } from './rows';
import styles from './grid.module.css';

interface Look {
  classes: string;
  name: string;
  body: ReactNode;
}

/** How a cell looks, and what it is called: each mark has a shape beside its colour and words beside both. */
export function lookOf(row: GridRow, column: GridColumn, at: number, shown: string): Look {
  const value = visible(shown);
  const said = { column: column.source, value: value || t('empty') };
  const issue = issueAt(row, at);
  const change = changeAt(row, column);
  const old = change ? (change[0] === null ? t('empty') : visible(asFileWrites(change[0], change[1], shown))) : '';
  const body = change ? <><span className={styles.old} data-old={old} /><span className={styles.now}>{value}</span></> : value;
  if (column.sensitive) return { classes: styles.masked!, name: t('cellPlain', { column: column.source, value: t('maskedNote') }), body: t('masked') };
  if (issue?.severity === 'error') return { classes: styles.error!, name: t('cellError', { ...said, message: issue.message }), body: value };
  if (issue) return { classes: `${styles.warning} ${change ? styles.changed : ''}`, name: t('cellWarning', { ...said, message: issue.message }), body };
  if (change) return { classes: styles.changed!, name: t('cellChanged', { ...said, old }), body };
  if (row.change?.kind === 'insert' || (row.state === 'inserted' && row.change === null)) return { classes: styles.fresh!, name: t('cellNew', said), body };
  return { classes: '', name: t('cellPlain', said), body };
}

interface Props {
  row: GridRow;
  column: GridColumn;
  at: number;
  place: number;
  width: number;
  numeric: boolean;
  active: boolean;
  /** sent, not answered yet, or corrected here and not sent */
  pending: string | undefined;
  unsent: string | undefined;
  refused: boolean;
  editor: ReactNode;
  /** as aria-activedescendant names it */
  id: string;
}

export const Cell = memo(function Cell({ row, column, at, place, width, numeric, active, pending, unsent, refused, editor, id }: Props) {
  const shown = pending ?? unsent ?? row.values[at] ?? '';
  const look = lookOf(row, column, at, shown);
  const edited = row.edited.includes(at) || unsent !== undefined;
  const classes = [styles.cell, look.classes, numeric ? styles.number : '', edited ? styles.edited : '', active ? styles.active : '', pending !== undefined ? styles.pending : '', refused ? styles.refused : ''];
  return (
    <div
      role="gridcell"
      id={id}
      data-column={at}
      aria-colindex={place + 2}
      aria-selected={active}
      aria-label={edited ? t('cellEdited', { cell: look.name }) : look.name}
      className={classes.join(' ')}
      style={{ width }}
    >
      {editor ?? look.body}
    </div>
  );
});
