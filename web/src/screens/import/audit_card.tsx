import { useMay } from '@/api/me';
import type { Import } from '@/api/schema';
import { usePages } from '@/api/use_pages';
import { Button } from '@/components/button';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { formatExact, formatWhen } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/import_page';

const kPage = 50;

const details = (data: unknown): string => (data !== null && typeof data === 'object' && Object.keys(data).length > 0 ? visible(JSON.stringify(data)) : '');

/** Who asked for what with this import, as the audit log has it; for those who may read that. */
export function AuditCard({ job }: { job: Import }) {
  const may = useMay()('audit.list');
  const query = { object_kind: 'import', object_id: job.job_id };
  const { query: pages, items, more, loadingMore } = usePages('audit.list', { query: { ...query, limit: kPage } }, { enabled: may });
  if (!may) return null;
  return (
    <section className="card" aria-label={t('audit')}>
      <header><h2>{t('audit')}</h2><Link className="right small" to={`/admin/audit?object_kind=import&object_id=${job.job_id}`}>{t('auditOpen')}</Link></header>
      <Answered query={pages} heights={[28, 28]} compact>
        {() => (items.length === 0 ? <Empty>{t('noAudit')}</Empty> : (
          <Scroll label={t('audit')}>
            <table>
              <thead><tr><th>{t('time')}</th><th>{t('actor')}</th><th>{t('action')}</th><th>{t('auditData')}</th><th>{t('address')}</th></tr></thead>
              <tbody>
                {items.map((entry) => (
                  <tr key={entry.number}>
                    <td><time dateTime={entry.created_at} title={formatExact(entry.created_at)} className="num">{formatWhen(entry.created_at)}</time></td>
                    <td>{visible(entry.actor)}</td>
                    <td className="mono">{entry.action}</td>
                    <td className="mono small cut" style={{ maxWidth: 420 }} title={details(entry.data)}>{details(entry.data)}</td>
                    <td className="mono faint">{entry.address}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        ))}
      </Answered>
      {more ? <div className="pad"><Button small pending={loadingMore} onClick={more}>{t('auditMore')}</Button></div> : null}
    </section>
  );
}
