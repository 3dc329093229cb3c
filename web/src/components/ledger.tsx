import { Fragment, type ReactNode } from 'react';
import { formatNumber, formatShare } from '@/format/numbers';
import { Link } from '@/router/link';
import { ledger as t } from '@/strings/general';
import { ledgerOf, type LedgerCell, type LedgerRows } from './ledger_cells';
import styles from './ledger.module.css';

interface Props {
  rows: LedgerRows;
  /** what will happen (new, changed) instead of what happened (inserted, updated) */
  ahead?: boolean;
  finished?: boolean;
  /** where the rows of one cell are shown */
  linkOf?: (state: string) => string;
  /** the cell whose rows are on the page */
  selected?: string | undefined;
  /** shares and the bar below, as on the page of an import */
  shares?: boolean;
  children?: ReactNode;
}

function Cell({ cell, whole, props }: { cell: LedgerCell; whole: number; props: Props }) {
  const body = (
    <>
      <small>
        {cell.mark ? <i className={`sq ${cell.mark}`} /> : null}
        {t(cell.word)}
        {props.shares && cell.mark && cell.count > 0 ? <em>{formatShare(cell.count, whole)}</em> : null}
      </small>
      <b>{formatNumber(cell.count)}</b>
    </>
  );
  const classes = `${styles.cell} ${props.selected === cell.state ? styles.on : ''}`;
  return props.linkOf ? <Link to={props.linkOf(cell.state)} className={classes}>{body}</Link> : <div className={classes}>{body}</div>;
}

/** Rows read = the sum of where they went, with its signs. A sum that does not hold is said, never repaired. */
export function Ledger(props: Props) {
  const { cells, whole, holds, sum } = ledgerOf(props.rows, props.ahead ?? false, props.finished ?? false);
  const [first, ...others] = cells;
  return (
    <section className={`card ${holds ? '' : styles.broken}`} aria-label={t('label')}>
      <div className={styles.ledger}>
        <Cell cell={first!} whole={whole} props={props} />
        {others.map((cell, at) => (
          <Fragment key={cell.state}>
            <span className={styles.sign} aria-hidden="true">{at === 0 ? '=' : '+'}</span>
            <Cell cell={cell} whole={whole} props={props} />
          </Fragment>
        ))}
        {props.children ? <div className={styles.say}>{props.children}</div> : null}
      </div>
      {props.shares ? <LedgerBar rows={props.rows} className={styles.bar} /> : null}
      {holds ? null : <p className={styles.fault} role="alert">{t('broken', { sum, read: whole })}</p>}
      {props.rows.removed ? <p className={styles.apart}>{t(props.ahead ? 'willRemove' : 'removed', { count: props.rows.removed })}</p> : null}
    </section>
  );
}

const hues = { inserted: 'green', updated: 'blue', unchanged: 'grey', failed: 'red' } as const;

/** The same as a thin bar, for lists and below the ledger. */
export function LedgerBar({ rows, className }: { rows: LedgerRows; className?: string | undefined }) {
  return (
    <div className={`bar ${className ?? ''}`} aria-hidden="true">
      {Object.entries(hues).map(([state, hue]) => {
        const share = rows.read > 0 ? (rows[state as keyof typeof hues] / rows.read) * 100 : 0;
        return share > 0 ? <i key={state} style={{ width: `${Math.max(share, 0.25)}%`, background: `var(--${hue}-fill)` }} /> : null;
      })}
    </div>
  );
}
