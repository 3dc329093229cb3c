import { useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Import, Mapping } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { CellText } from '@/components/cell_text';
import { Answered, ProblemView } from '@/components/states';
import { formatBytes } from '@/format/numbers';
import { navigate } from '@/router/router';
import { t } from '@/strings/import_page';
import styles from './import.module.css';

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Makes a draft with the file and settings of this import. */
function UseAgain({ job }: { job: Import }) {
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    setWorking(true);
    setError(null);
    try {
      const draft = await call('drafts.create', { body: { import: job.job_id, step: 'read' } });
      navigate(`/new/${draft.draft_id}/read`);
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  return <>{error ? <ProblemView error={error} compact /> : null}<Button pending={working} onClick={() => void run()}>{t('useAgain')}</Button></>;
}

/** Which column of the file, text or expression feeds which data column. */
function Matching({ list }: { list: Mapping[] }) {
  return (
    <div className="scrollX">
      <table>
        <thead><tr><th>{t('sourceColumn')}</th><th>{t('dataColumn')}</th><th>{t('type')}</th></tr></thead>
        <tbody>
          {list.map(({ mapping, target_data_column: target }, at) => (
            <tr key={at}>
              <td>{mapping.source_column_name !== null ? <CellText value={mapping.source_column_name} /> : <span className="mono faint">{mapping.source_expression ?? mapping.source_value ?? t('none')}</span>}</td>
              <td className="mono">{mapping.target_data_column_name}</td>
              <td className="mono faint">{target.column_type}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** With what an import was made: the definition as it was then, how the file was read, options. */
export function SettingsTab({ job }: { job: Import }) {
  const may = useMay();
  const query = useCall('imports.definition_snapshot', { path: { import: job.job_id } }, { staleTime: Number.POSITIVE_INFINITY });
  const read = Object.entries(job.source ?? {});
  const options: [string, string | null | undefined][] = [[t('timeContext'), job.time_context_ident], [t('validFrom'), job.default_valid_from], [t('validTo'), job.default_valid_to]];
  return (
    <div className={styles.two}>
      <div className="stack">
        <section className="card" aria-label={t('matching')}>
          <header><h2>{t('matching')}</h2></header>
          <Answered query={query} heights={[200]} compact>{(snapshot) => <Matching list={snapshot.import_mapping_list} />}</Answered>
        </section>
        <section className="card" aria-label={t('snapshot')}>
          <header><h2>{t('snapshot')}</h2><span className="faint">{t('definition', { name: job.definition, version: String(job.definition_version) })}</span></header>
          <Answered query={query} heights={[300]} compact>{(snapshot) => <pre className={styles.code} tabIndex={0}>{JSON.stringify(snapshot.import_definition, null, 2)}</pre>}</Answered>
        </section>
      </div>
      <div className="stack">
        <section className="card" aria-label={t('readSettings')}>
          <header><h2>{t('readSettings')}</h2><span className="right">{may('drafts.create') && may('imports.create') ? <UseAgain job={job} /> : null}</span></header>
          <div className="pad">{read.length === 0 ? <p className="dim">{t('asDefinition')}</p> : <dl className="kv">{read.map(([key, value]) => <div key={key} style={{ display: 'contents' }}><dt>{key}</dt><dd className="mono">{text(value)}</dd></div>)}</dl>}</div>
        </section>
        <section className="card" aria-label={t('options')}>
          <header><h2>{t('options')}</h2></header>
          <dl className="kv pad">
            <dt>{t('id')}</dt><dd className="mono">{job.job_id}</dd>
            <dt>{t('slug')}</dt><dd className="mono">{job.slug}</dd>
            <dt>{t('size')}</dt><dd className="num">{formatBytes(job.file_bytes)}</dd>
            <dt>{t('who')}</dt><dd>{job.created_by ?? t('none')}</dd>
            {job.reviewed_by ? <><dt>{t('reviewedBy')}</dt><dd>{job.reviewed_by}</dd></> : null}
            {options.filter(([, value]) => value).map(([name, value]) => <div key={name} style={{ display: 'contents' }}><dt>{name}</dt><dd>{value}</dd></div>)}
          </dl>
        </section>
      </div>
    </div>
  );
}
