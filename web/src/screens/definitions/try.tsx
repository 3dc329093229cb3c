import { useRef, useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import { useCall } from '@/api/use_call';
import type { Import } from '@/api/schema';
import { Button } from '@/components/button';
import { Ledger } from '@/components/ledger';
import { Scroll } from '@/components/scroll';
import { Answered, Empty, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { useAction } from '@/components/use_action';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import { ledgerRows } from '@/screens/import/counts';
import { t } from '@/strings/definitions';
import styles from './definitions.module.css';

const isReady = (one: Import): boolean => one.status === 'waiting_for_review' || one.state === 'finished';

function Issues({ id }: { id: string }) {
  const query = useCall('imports.issues', { path: { import: id } });
  return (
    <section className="card" aria-label={t('issues')}>
      <header><h2>{t('issues')}</h2></header>
      <Answered query={query} compact>
        {(data) => data.items.length === 0 ? <Empty>{t('noIssues')}</Empty> : (
          <Scroll label={t('issues')}>
            <table>
              <thead><tr><th>{t('issue')}</th><th>{t('column')}</th><th>{t('example')}</th><th className="n">{t('rows')}</th></tr></thead>
              <tbody>{data.items.map((one) => <tr key={`${one.code} ${one.column}`}><td className={one.severity === 'error' ? 'red' : 'amber'}>{one.example?.message ?? one.code}</td><td>{one.column}</td><td className="mono cut" style={{ maxWidth: 260 }}>{one.example ? visible(one.example.value) : ''}</td><td className="n">{formatNumber(one.count)}</td></tr>)}</tbody>
            </table>
          </Scroll>
        )}
      </Answered>
    </section>
  );
}

function Outcome({ id, onForgotten }: { id: string; onForgotten: () => void }) {
  const action = useAction();
  const job = useCall('imports.show', { path: { import: id } }, { refetchInterval: 1_000 });
  const forget = async (one: Import) => {
    const done = await action.run('forget', async () => {
      // Whoever may try may cancel; rejecting is for reviewers.
      if (one.state !== 'finished') await call('imports.cancel', { path: { import: id } });
      await call('imports.delete', { path: { import: id } });
      return t('forgotten');
    }, ['imports.list', 'imports.counts']);
    if (done) onForgotten();
  };
  return (
    <Answered query={job} compact>
      {(one) => (
        <>
          <div className="row wrap">
            <b className="cut">{visible(one.file)}</b><StatusChip status={one.status} />
            {isReady(one) ? <span className="row right"><Link className="btn" to={`/imports/${id}/review`}>{t('openReview')}</Link><Button pending={action.working !== null} onClick={() => void forget(one)}>{t('forget')}</Button></span> : <span className="dim" role="status">{t('tryChecking', { name: visible(one.file) })}</span>}
          </div>
          {action.error ? <ProblemView error={action.error} compact /> : null}
          {one.error ? <ProblemView error={new Error(one.error.message)} /> : null}
          {isReady(one) ? <><Ledger rows={ledgerRows(one)} ahead shares /><Issues id={id} /></> : null}
        </>
      )}
    </Answered>
  );
}

/** What the definition makes of a file, with nothing written. */
export function Try({ slug, version }: { slug: string; version: number }) {
  const may = useMay();
  const [search, change] = useSearch();
  const action = useAction();
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const job = search.get('job');
  if (!may('imports.create')) return <p className="dim">{t('mayNotTry')}</p>;
  const start = async (file: File) => {
    setName(file.name);
    await action.run('try', async () => {
      const stored = await call('files.create', { query: { name: file.name }, body: file });
      const made = await call('imports.create', { query: {}, body: { file_id: stored.file_id, definition: slug, version, review: 'always', force: true, max_errors: '100%' } });
      change({ job: made.job_id });
    }, ['imports.list']);
  };
  return (
    <>
      <div className={styles.drop} onDragOver={(event) => event.preventDefault()} onDrop={(event) => { event.preventDefault(); event.stopPropagation(); const file = event.dataTransfer.files[0]; if (file) void start(file); }}>
        <p className="dim">{t('tryNote')}</p>
        <input ref={input} type="file" hidden aria-label={t('chooseFile')} onChange={(event) => { const file = event.currentTarget.files?.[0]; if (file) void start(file); event.currentTarget.value = ''; }} />
        <Button pending={action.working !== null} onClick={() => input.current?.click()}>{t(job ? 'tryAgainWith' : 'chooseFile')}</Button>
        {action.working ? <span className="small dim" role="status">{t('tryUploading', { name: visible(name) })}</span> : null}
      </div>
      {action.error ? <ProblemView error={action.error} /> : null}
      {job ? <Outcome key={job} id={job} onForgotten={() => change({ job: null })} /> : null}
    </>
  );
}
