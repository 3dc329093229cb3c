import { IconAlertCircle, IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useMemo } from 'react';
import { addressOf } from '@/api/client';
import type { Import, IssueCount } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { CellText } from '@/components/cell_text';
import { icon, smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
import { Answered, Empty } from '@/components/states';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { navigate, useSearch } from '@/router/router';
import { rules, t } from '@/strings/import_page';
import { isAhead } from './counts';
import { Spread } from './spread';
import styles from './import.module.css';

/** A code in words; one of the definition's own as it is written. */
export function ruleWords(code: string): string {
  if (rules.has(code)) return rules(code);
  const words = code.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Errors first, then what concerns most rows; or all of one column together. */
export function ordered(items: IssueCount[], byColumn: boolean): IssueCount[] {
  const weight = (one: IssueCount) => (one.severity === 'error' ? 0 : 1);
  const rank = (a: IssueCount, b: IssueCount) => weight(a) - weight(b) || b.count - a.count;
  if (!byColumn) return items.toSorted(rank);
  const rows = new Map<string, number>();
  for (const one of items) rows.set(one.column, (rows.get(one.column) ?? 0) + one.count);
  return items.toSorted((a, b) => (rows.get(b.column) ?? 0) - (rows.get(a.column) ?? 0) || a.column.localeCompare(b.column) || rank(a, b));
}

function Line({ job, one }: { job: Import; one: IssueCount }) {
  const to = `/imports/${job.job_id}/${isAhead(job) ? 'review' : 'rows'}?issue=${encodeURIComponent(one.code)}${one.column ? `&column=${encodeURIComponent(one.column)}` : ''}`;
  const Picture = one.severity === 'error' ? IconAlertCircle : IconAlertTriangle;
  return (
    <tr className="link" onClick={(event) => (event.target as HTMLElement).closest('a') === null && navigate(to)}>
      <td><span className={one.severity === 'error' ? 'red' : 'amber'}><Picture {...icon} aria-hidden={false} aria-label={t(one.severity === 'error' ? 'severity_error' : 'severity_warning')} role="img" /></span></td>
      <td><b>{ruleWords(one.code)}</b><small className="mono">{one.code}</small></td>
      <td className={styles.example}><span className="cut">{one.column || t('wholeRow')}</span>{one.example ? <small className="mono"><CellText value={one.example.value} /></small> : null}</td>
      <td className="hideSmall">{one.spread?.length ? <Spread spread={one.spread} /> : null}</td>
      <td className="n"><Link to={to}>{formatNumber(one.count)}</Link></td>
    </tr>
  );
}

/** Issues by rule or by column, with an example and where in the file they are. */
export function IssuesCard({ job, most }: { job: Import; most?: number }) {
  const query = useCall('imports.issues', { path: { import: job.job_id } }, { refetchInterval: job.status === 'running' ? 3000 : false });
  const [search, change] = useSearch();
  const byColumn = search.get('by') === 'column';
  const items = useMemo(() => ordered(query.data?.items ?? [], byColumn), [query.data, byColumn]);
  const failed = isAhead(job) ? (job.comparison?.fail ?? 0) : job.rows.failed;
  const warned = items.filter((one) => one.severity === 'warning').reduce((sum, one) => sum + one.count, 0);
  const shown = most ? items.slice(0, most) : items;
  return (
    <section className="card" aria-label={t('issues')}>
      <header>
        <h2>{t('issues')}</h2>
        <span className="faint num hideSmall">{t('issuesSum', { failed: t('rowsFailed', { count: failed }), warned: formatNumber(warned) })}</span>
        <span className="right row">
          <Segmented label={t('grouping')} value={byColumn ? 'column' : 'rule'} options={[{ value: 'rule', label: t('byRule') }, { value: 'column', label: t('byColumn') }]} onChange={(by) => change({ by: by === 'column' ? 'column' : null })} />
          {failed > 0 ? <a className="btn smallBtn" href={addressOf('imports.results', { import: job.job_id, which: 'failed' })} download><IconDownload {...smallIcon} />{t('failedRowsFile')}</a> : null}
        </span>
      </header>
      <Answered query={query} heights={[44, 44, 44]} compact>
        {() =>
          items.length === 0 ? <Empty>{job.state === 'finished' || isAhead(job) ? t('noIssues') : t('noIssuesYet')}</Empty> : (
            <div className="scrollX">
              <table className={styles.issues}>
                <thead><tr><th><span className="hidden">{t('severity_error')}</span></th><th>{t('issue')}</th><th>{t('columnExample')}</th><th className="hideSmall">{t('where')}</th><th className="n">{t('rowsCount')}</th></tr></thead>
                <tbody>{shown.map((one) => <Line key={`${one.code} ${one.column}`} job={job} one={one} />)}</tbody>
              </table>
              {shown.length < items.length ? <p className={styles.more}><Link to={`/imports/${job.job_id}/issues`}>{t('moreIssues', { count: items.length - shown.length })}</Link></p> : null}
            </div>
          )
        }
      </Answered>
    </section>
  );
}
