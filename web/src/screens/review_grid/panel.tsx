import { IconAlertCircle, IconAlertTriangle, IconX } from '@tabler/icons-react';
import { smallIcon } from '@/components/icons';
import { visible } from '@/format/cells';
import { t } from '@/strings/grid';
import { asFileWrites, changeAt, isFailed, issueAt, type GridColumn, type GridRow } from './rows';
import styles from './grid.module.css';

function doing(row: GridRow, ahead: boolean): string {
  if (isFailed(row)) return ahead ? t('nothingUntilFixed') : t('wasFailed');
  if (row.state === 'inserted') return ahead ? t('insert') : t('wasInserted');
  if (row.state === 'updated') return ahead ? t('update', { count: Object.keys(row.change?.cells ?? {}).length }) : t('wasUpdated');
  if (row.state === 'unchanged') return ahead ? t('nothingSame') : t('wasUnchanged');
  if (row.state === 'skipped') return t('leaveOut');
  return t('notYet');
}

const hues: Record<string, string> = { failed: 'red', inserted: 'green', updated: 'blue' };
const words: Record<string, Parameters<typeof t>[0]> = { failed: 'rowFailed', inserted: 'rowInserted', updated: 'rowUpdated', unchanged: 'rowUnchanged', skipped: 'rowSkipped' };

/** Cells of a row that differ from what is stored, or are wrong; the others are counted. */
function BeforeAfter({ row, columns }: { row: GridRow; columns: GridColumn[] }) {
  const lines = columns.flatMap((column, at) => {
    const change = changeAt(row, column);
    const wrong = issueAt(row, at)?.severity === 'error';
    const fresh = row.change?.kind === 'insert';
    if (!change && !wrong && !fresh) return [];
    const now = row.values[at] ?? '';
    return [{ name: column.data[0] ?? column.source, old: change ? (change[0] === null ? t('empty') : asFileWrites(change[0], change[1], now)) : '', now, wrong, at }];
  });
  if (lines.length === 0) return null;
  const others = columns.length - lines.length;
  return (
    <div className={styles.section}>
      <h3>{t('beforeAfter')}</h3>
      <table>
        <tbody>
          {lines.map((line) => (
            <tr key={line.at}>
              <td className="faint" title={line.name}>{line.name}</td>
              <td title={line.old}>{visible(line.old)}</td>
              <td className={line.wrong ? 'red' : ''} title={line.now}><b>{visible(line.now)}</b></td>
            </tr>
          ))}
        </tbody>
      </table>
      {others > 0 ? <span className="faint">{t('moreSame', { count: others })}</span> : null}
    </div>
  );
}

interface Props {
  row: GridRow | undefined;
  columns: GridColumn[];
  ahead: boolean;
  delimiter: string;
  onClose: () => void;
}

/** Beside the grid: the chosen row, what will happen to it and why. */
export function Panel({ row, columns, ahead, delimiter, onClose }: Props) {
  if (!row) return <aside className={styles.panel} aria-label={t('beforeAfter')}><div className="pad faint">{t('noRowChosen')}</div></aside>;
  const state = isFailed(row) ? 'failed' : row.state;
  const key = columns.flatMap((column, at) => (column.key ? [column.sensitive ? t('masked') : visible(row.values[at] ?? '')] : []));
  const word = words[state];
  return (
    <aside className={styles.panel} aria-label={t('panel', { row: row.row })}>
      <header>
        <h2 className="num">{t('panel', { row: row.row })}</h2>
        {word ? <span className={`badge ${hues[state] ?? ''}`}>{t(word)}</span> : null}
        <span className="faint right num">{t('line', { line: row.line })}</span>
        <button type="button" className="btn quiet icon smallBtn" aria-label={t('closePanel')} onClick={onClose}><IconX {...smallIcon} /></button>
      </header>
      <dl className="kv">
        <dt>{ahead ? t('willDo') : t('did')}</dt>
        <dd>{doing(row, ahead)}</dd>
        {key.length > 0 ? <><dt>{t('key')}</dt><dd className="num">{key.join(', ')}</dd></> : null}
      </dl>
      {row.issues.length > 0 ? (
        <div className={styles.section}>
          <h3>{t('issues')}</h3>
          {row.issues.map((issue, at) => (
            <div key={at} className="row" style={{ alignItems: 'flex-start', marginBottom: 4 }}>
              <span className={issue.severity === 'error' ? 'red' : 'amber'} style={{ flex: 'none', marginTop: 2 }}>{issue.severity === 'error' ? <IconAlertCircle {...smallIcon} /> : <IconAlertTriangle {...smallIcon} />}</span>
              <span style={{ overflowWrap: 'anywhere', minWidth: 0 }}>{issue.source !== null ? `${columns[issue.source]?.source ?? issue.column}: ` : ''}{issue.message} <span className="mono faint">{issue.code}</span></span>
            </div>
          ))}
        </div>
      ) : null}
      <BeforeAfter row={row} columns={columns} />
      <div className={styles.section}>
        <h3>{row.edited.length > 0 ? t('asEdited') : t('inFile')}</h3>
        <div className={styles.raw} tabIndex={0} role="group" aria-label={t('inFile')}>
          {row.values.map((value, at) => {
            const text = columns[at]?.sensitive ? t('masked') : visible(value);
            const wrong = issueAt(row, at)?.severity === 'error';
            return <span key={at}>{at > 0 ? delimiter : ''}{wrong ? <mark>{text || '∅'}</mark> : text}</span>;
          })}
        </div>
      </div>
      <div className={styles.foot}><kbd>Esc</kbd> {t('closes')}</div>
    </aside>
  );
}
