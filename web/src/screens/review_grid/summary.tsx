import { useCall } from '@/api/use_call';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { withSearch } from '@/router/router';
import { t } from '@/strings/grid';

const percent = (value: number): string => `${value > 0 ? '+' : value < 0 ? '−' : ''}${formatNumber(Math.abs(value), Math.abs(value) < 10 ? 1 : 0)} %`;

/** Beside the ledger: how the number column that changes most changes. */
export function ChangeSummary({ id }: { id: string }) {
  const summary = useCall('imports.diff_summary', { path: { import: id } }, { staleTime: 30_000 });
  const columns = summary.data?.columns.filter((one) => one.changes > 0) ?? [];
  const numbers = columns.filter((one) => one.rises !== null && (one.rises > 0 || (one.falls ?? 0) > 0)).toSorted((a, b) => b.changes - a.changes);
  const first = numbers[0];
  if (!first) {
    const most = columns.toSorted((a, b) => b.changes - a.changes)[0];
    return most ? <b>{t('changesIn', { column: most.column, count: most.changes })}</b> : null;
  }
  const largest = first.largest;
  return (
    <>
      <b style={{ color: 'var(--text)' }}>{t('risesFalls', { column: first.column, rises: t('rowsCount', { count: first.rises ?? 0 }), falls: formatNumber(first.falls ?? 0) })}</b>
      <span>
        {first.median_percent !== null ? t('median', { median: percent(first.median_percent), largest: largest?.percent != null ? percent(largest.percent) : '–' }) : null}
        {largest ? <>: <Link style={{ textDecoration: 'underline' }} to={withSearch({ row: String(largest.row), state: null, issue: null, column: null }, `/imports/${id}/review`)}>{t('showLargest', { row: largest.row })}</Link></> : null}
        {summary.data?.complete === false ? ` (${t('incomplete', { count: summary.data.looked_at })})` : ''}
      </span>
    </>
  );
}
