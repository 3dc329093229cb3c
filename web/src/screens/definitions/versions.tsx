import { Select } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { DefinitionSummary } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import { t } from '@/strings/definitions';
import { diffLines, fold } from './line_diff';
import styles from './definitions.module.css';

function Diff({ before, after }: { before: string; after: string }): ReactNode {
  const rows = diffLines(before, after);
  if (rows.every((row) => row.kind === 'same')) return <Empty>{t('same')}</Empty>;
  return (
    <Scroll label={t('compare')}>
      <table className={styles.diff}>
        <colgroup><col style={{ width: 44 }} /><col /><col style={{ width: 44 }} /><col /></colgroup>
        <tbody>
          {fold(rows).map((row, at) => row.kind === 'fold' ? <tr key={at}><td colSpan={4} className={styles.fold}>{t('linesSame', { count: row.count })}</td></tr> : (
            <tr key={at}>
              <td className={styles.no}>{row.left?.line}</td>
              <td className={row.left && row.kind !== 'same' ? styles.gone : ''}>{row.left && row.kind !== 'same' ? <span className="hidden">{t('removed')} </span> : null}{row.left?.text}</td>
              <td className={styles.no}>{row.right?.line}</td>
              <td className={row.right && row.kind !== 'same' ? styles.came : ''}>{row.right && row.kind !== 'same' ? <span className="hidden">{t('added')} </span> : null}{row.right?.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Compare({ slug, versions }: { slug: string; versions: number[] }) {
  const [search, change] = useSearch();
  const to = Number(search.get('to')) || versions[0]!;
  const from = Number(search.get('from')) || versions[versions.indexOf(to) + 1] || versions.at(-1)!;
  const before = useCall('definitions.show', { path: { slug }, query: { version: from } });
  const after = useCall('definitions.show', { path: { slug }, query: { version: to } });
  const data = versions.map((version) => ({ value: String(version), label: t('oldText', { version: String(version) }) }));
  return (
    <section className="card" aria-label={t('compare')}>
      <header><h2>{t('compare')}</h2><span className={`${styles.pickers} right`}><Select aria-label={t('from')} data={data} value={String(from)} allowDeselect={false} onChange={(value) => change({ from: value })} /><Select aria-label={t('to')} data={data} value={String(to)} allowDeselect={false} onChange={(value) => change({ to: value })} /></span></header>
      <Answered query={before} compact>{(old) => <Answered query={after} compact>{(now) => <Diff before={old.text} after={now.text} />}</Answered>}</Answered>
    </section>
  );
}

/** All versions, newest first, and what changed between two. */
export function Versions({ slug }: { slug: string }) {
  const query = useCall('definitions.versions', { path: { slug } });
  return (
    <Answered query={query} compact>
      {(data) => {
        const items = data.items.toSorted((a: DefinitionSummary, b: DefinitionSummary) => b.version - a.version);
        return (
          <>
            <section className="card">
              <Scroll label={t('versions')}>
                <table>
                  <thead><tr><th>{t('version')}</th><th>{t('state')}</th><th>{t('created')}</th><th /></tr></thead>
                  <tbody>
                    {items.map((one, at) => (
                      <Fragment key={one.version}>
                        <tr>
                          <td><Link to={`/definitions/${encodeURIComponent(slug)}?version=${one.version}`}><b>{t('oldText', { version: String(one.version) })}</b></Link> {at === 0 ? <span className="badge">{t('current')}</span> : null}</td>
                          <td className={one.valid ? 'green' : 'amber'} title={one.validation_error ?? ''}>{t(one.valid ? 'valid' : 'invalid')}</td>
                          <td>{one.created_at ? <Age time={one.created_at} suffix=" ago" /> : null}</td>
                          <td className="n"><Link className="small" to={`/definitions/${encodeURIComponent(slug)}/edit?version=${one.version}`}>{t('useAgain')}</Link></td>
                        </tr>
                      </Fragment>
                    ))}
                  </tbody>
                </table>
              </Scroll>
            </section>
            {items.length > 1 ? <Compare slug={slug} versions={items.map((one) => one.version)} /> : <p className="dim">{t('onlyOne')}</p>}
          </>
        );
      }}
    </Answered>
  );
}
