import { IconAlertTriangle } from '@tabler/icons-react';
import type { Sniffed } from '@/api/schema';
import { smallIcon } from '@/components/icons';
import { Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { t } from '@/strings/read';
import styles from './new_import.module.css';

const looks = { header: styles.headerRow, above: styles.aboveRow, odd: styles.oddRow, data: '' } as const;

/** Some lines of the file as they are read: the header tinted, lines that do not fit marked and counted. */
export function SampleGrid({ sniffed, stale }: { sniffed: Sniffed; stale: boolean }) {
  const columns = Math.max(sniffed.columns, ...sniffed.lines.map((line) => line.cells.length));
  if (sniffed.lines.length === 0) return <Empty>{t('noRows')}</Empty>;
  return (
    <div className={`${styles.sampleBox} ${stale ? styles.stale : ''}`} tabIndex={0} role="region" aria-label={t('rowsAsRead')} aria-busy={stale}>
      <table className={styles.sampleGrid}>
        <tbody>
          {sniffed.lines.map((line, at) => (
            <tr key={`${line.line ?? 'x'} ${at}`} className={looks[line.kind]}>
              <th scope="row" title={t('line')}>{line.line === null ? '' : formatNumber(line.line)}</th>
              {Array.from({ length: columns }, (_, column) => <td key={column} title={line.cells[column]}>{visible(line.cells[column] ?? '')}</td>)}
              <td className="small">
                {line.kind === 'header' ? <span className="badge">{t('header')}</span> : null}
                {line.kind === 'odd' ? <span className="amber row"><IconAlertTriangle {...smallIcon} />{t('cells', { found: line.cells.length, wanted: sniffed.columns })}</span> : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
