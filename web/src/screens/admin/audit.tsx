import { TextInput } from '@mantine/core';
import { IconDownload, IconShieldCheck, IconShieldX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { call } from '@/api/client';
import type { AuditEntry, AuditPage } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { usePages } from '@/api/use_pages';
import { Button } from '@/components/button';
import { icon, smallIcon } from '@/components/icons';
import { Scroll } from '@/components/scroll';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { visible } from '@/format/cells';
import { formatClock, formatExact, formatWhen } from '@/format/times';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/admin';
import styles from './admin.module.css';

const names = ['actor', 'action', 'object_kind', 'object_id'] as const;
const labels = { actor: 'anyActor', action: 'anyAction', object_kind: 'anyKind', object_id: 'anyObject' } as const;

function Filter({ name }: { name: (typeof names)[number] }) {
  const [search, change] = useSearch();
  const there = search.get(name) ?? '';
  const [text, setText] = useState(there);
  useEffect(() => setText(there), [there]);
  useEffect(() => {
    if (text === there) return;
    const timer = window.setTimeout(() => change({ [name]: text.trim() }), 300);
    return () => window.clearTimeout(timer);
  }, [text, there, name, change]);
  return <TextInput aria-label={t(labels[name])} placeholder={t(labels[name])} data-filter={name === 'actor' || undefined} value={text} onChange={(event) => setText(event.currentTarget.value)} />;
}

function Chain() {
  const query = useCall('audit.verify', {}, { staleTime: 60_000 });
  return (
    <Answered query={query} compact heights={[36]}>
      {(head) => (
        <div className={`strip small ${head.intact ? 'green' : 'red'}`} role={head.intact ? 'status' : 'alert'}>
          {head.intact ? <IconShieldCheck {...icon} /> : <IconShieldX {...icon} />}
          <span className="grow">{head.intact ? t('chainGood', { count: head.entries, when: formatClock(query.dataUpdatedAt) }) : t('chainBad', { count: head.entries })}</span>
          {head.hash ? <span className="mono faint hideSmall" title={head.hash}>{head.hash.slice(0, 12)}</span> : null}
          <Button small pending={query.isFetching} onClick={() => void query.refetch()}>{t('verify')}</Button>
        </div>
      )}
    </Answered>
  );
}

const details = (entry: AuditEntry): string => (entry.data && typeof entry.data === 'object' && Object.keys(entry.data).length > 0 ? visible(JSON.stringify(entry.data)) : '');

const kMostExported = 100_000;

type Filters = Record<string, string | undefined>;

/** Everything that fits the filters, as lines of JSON: the numbers and hashes prove where it belongs. */
function Export({ filter }: { filter: Filters }) {
  const action = useAction();
  const save = () => action.run('export', async () => {
    const entries: AuditEntry[] = [];
    let cursor: string | null = null;
    do {
      const page: AuditPage = await call('audit.list', { query: { ...filter, limit: 1000, ...(cursor ? { cursor } : {}) } });
      entries.push(...page.items);
      cursor = page.next;
    } while (cursor !== null && entries.length < kMostExported);
    download(entries);
    return cursor === null ? t('exported', { count: entries.length }) : t('exportCut', { count: entries.length });
  });
  return <>{action.error ? <ProblemView error={action.error} compact /> : null}<Button icon={<IconDownload {...smallIcon} />} pending={action.working !== null} onClick={() => void save()}>{t('export')}</Button></>;
}

function download(entries: AuditEntry[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([entries.map((entry) => JSON.stringify(entry)).join('\n') + '\n'], { type: 'application/x-ndjson' }));
  link.download = 'audit.ndjson';
  link.click();
  URL.revokeObjectURL(link.href);
}

function Row({ entry }: { entry: AuditEntry }) {
  return (
    <tr>
      <td className="n faint">{entry.number}</td>
      <td><time dateTime={entry.created_at} title={formatExact(entry.created_at)} className="num">{formatWhen(entry.created_at)}</time></td>
      <td>{visible(entry.actor)}</td>
      <td className="mono">{entry.action}</td>
      <td>{entry.object_kind} {entry.object_kind === 'import' && entry.object_id ? <Link className="mono" to={`/imports/${entry.object_id}`}>{entry.object_id.slice(0, 13)}</Link> : <span className="mono">{entry.object_id ? visible(entry.object_id).slice(0, 40) : ''}</span>}</td>
      <td className="mono small cut" style={{ maxWidth: 360 }} title={details(entry)}>{details(entry)}</td>
      <td className="mono faint">{entry.address}</td>
    </tr>
  );
}

/** Who did what, and that nobody changed it since. */
export default function Audit() {
  useCrumbs([{ label: t('administration') }, { label: t('audit') }]);
  const [search] = useSearch();
  const filter = Object.fromEntries(names.map((name) => [name, search.get(name) ?? undefined]));
  const filtered = names.some((name) => search.get(name));
  const { query, items, more, loadingMore } = usePages('audit.list', { query: { ...filter, limit: 100 } });
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('audit')}</h1>{items.length > 0 ? <span className="right row"><Export filter={filter} /></span> : null}</div>
      <Chain />
      <div className={styles.filters} role="search">{names.map((name) => <Filter key={name} name={name} />)}{filtered ? <Link to="/admin/audit" className="small">{t('clear')}</Link> : null}</div>
      <Answered query={query} compact>
        {() => (
          <section className="card">
            {items.length === 0 ? <Empty>{t(filtered ? 'auditEmptyFiltered' : 'auditEmpty')}</Empty> : (
              <Scroll label={t('audit')}>
                <table>
                  <thead><tr><th className="n">{t('number')}</th><th>{t('time')}</th><th>{t('actor')}</th><th>{t('action')}</th><th>{t('object')}</th><th>{t('data')}</th><th>{t('address')}</th></tr></thead>
                  <tbody>{items.map((entry) => <Row key={entry.number} entry={entry} />)}</tbody>
                </table>
              </Scroll>
            )}
          </section>
        )}
      </Answered>
      {more ? <div><Button small pending={loadingMore} onClick={more}>{t('more')}</Button></div> : null}
    </div>
  );
}
