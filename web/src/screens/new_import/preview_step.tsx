import { useMediaQuery } from '@mantine/hooks';
import { Suspense, lazy, useEffect, useState } from 'react';
import { call } from '@/api/client';
import type { Import } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { confirm } from '@/components/confirm';
import { Ledger } from '@/components/ledger';
import { ProgressBar } from '@/components/phase_bar';
import { Answered, Loading, ProblemView } from '@/components/states';
import { visible } from '@/format/cells';
import { formatBytes, formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { navigate, useSearch, withSearch } from '@/router/router';
import { ledgerRows } from '@/screens/import/counts';
import { useImport } from '@/screens/import/use_import';
import { DecideButtons, useDecision } from '@/screens/review_grid/decide';
import { ChangeSummary } from '@/screens/review_grid/summary';
import { TakeOverNote, useTakeOver } from '@/screens/review_grid/use_take_over';
import { t as general } from '@/strings/general';
import { t } from '@/strings/preview';
import { Frame } from './frame';
import { createDraft } from './use_draft';
import styles from './new_import.module.css';

// The grid is large and not needed while the rows are checked.
const RowsWork = lazy(() => import('@/screens/review_grid/work').then((module) => ({ default: module.RowsWork })));

const isChecking = (job: Import): boolean => ['waiting_for_upload', 'upload_completed', 'preparing_data', 'analysing_data'].includes(job.state);

function Checking({ job }: { job: Import }) {
  const done = formatNumber(job.rows_analysed);
  const problems = formatNumber(job.rows.failed);
  return (
    <section className={`card ${styles.upload}`} role="status">
      <ProgressBar percent={job.progress} label={t('title')} />
      <p className="num">{job.rows_total ? t('checking', { total: formatNumber(job.rows_total), done, problems }) : t('checkingFew', { problems })}</p>
      <p className="faint small">{t('mayClose')}</p>
    </section>
  );
}

function Rows({ job, refresh }: { job: Import; refresh: () => void }) {
  const [search] = useSearch();
  const phone = useMediaQuery('(max-width: 639px)', window.innerWidth < 640, { getInitialValueInEffect: false });
  return (
    <>
      <Ledger rows={ledgerRows(job)} ahead selected={search.get('state') ?? undefined} linkOf={(state) => withSearch({ state: state === 'all' ? null : state, row: null })}>
        <ChangeSummary id={job.job_id} />
      </Ledger>
      {phone ? <p><Link to={`/imports/${job.job_id}/review`}>{t('openReview')}</Link></p> : (
        <div className={styles.bleed}><Suspense fallback={<Loading heights={[40, 300]} />}><RowsWork job={job} onRevision={refresh} /></Suspense></div>
      )}
    </>
  );
}

function Preview({ job, refresh }: { job: Import; refresh: () => void }) {
  const id = job.job_id;
  const decision = useDecision(job);
  const waits = job.status === 'waiting_for_review';
  const moved = !waits && !isChecking(job) && job.status !== 'failed';
  // Once it is decided, the page of the import says what happens; the way back does not lead here again.
  useEffect(() => {
    if (moved) navigate(`/imports/${id}`, { replace: true });
  }, [moved, id]);
  const edited = useCall('imports.grid', { path: { import: id }, query: { state: 'edited', limit: 1 } }, { enabled: waits && job.revision > 0, staleTime: 0 });
  const edits = edited.data?.matching ?? 0;
  const taking = useTakeOver(job, refresh);
  const [error, setError] = useState<unknown>(null);
  const goBack = async () => {
    const kept = edits || (job.takes_over?.rows ?? 0);
    if (!(await confirm({ title: t('backTitle'), body: kept > 0 ? t('backEdits', { count: kept }) : t('backBody'), keep: t('stay'), action: t('goBack') }))) return;
    setError(null);
    try {
      const draft = await createDraft({ import: id, step: 'match' });
      if (job.state !== 'finished') await call('imports.cancel', { path: { import: id } });
      navigate(`/new/${draft.draft_id}/match`);
    } catch (problem) {
      setError(problem);
    }
  };
  const lead = [visible(job.file), formatBytes(job.file_bytes), job.rows_total ? general('rows', { count: job.rows_total }) : null, waits ? t('nothingWritten') : null].filter(Boolean).join(', ');
  const footer = waits && !taking.pending ? <><span className="faint small">{edits > 0 ? t('backEdits', { count: edits }) : t('back')}</span><span className="row right wrap"><DecideButtons job={job} decision={decision} /></span></> : null;
  return (
    <Frame step="preview" title={t('title')} lead={lead} onBack={() => void goBack()} footer={footer}>
      {decision.error ? <ProblemView error={decision.error} /> : null}
      {error ? <ProblemView error={error} /> : null}
      {decision.older !== null ? <p className="strip amber" role="alert">{t('changed')}</p> : null}
      <TakeOverNote taking={taking} job={job} />
      {isChecking(job) ? <Checking job={job} /> : null}
      {job.error ? <div className="strip red" role="alert"><b>{t('stopped')}</b> {job.error.message} <Link to={`/imports/${id}`}>{t('openImport')}</Link></div> : null}
      {waits && !taking.pending ? <Rows job={job} refresh={refresh} /> : null}
    </Frame>
  );
}

/** Step 4: the job exists and waits for review; what it would do, its rows to fix, and the button that says so. */
export function PreviewStep({ id }: { id: string }) {
  const { query, refresh } = useImport(id);
  return <Answered query={query} heights={[46, 62, 400]}>{(job) => <Preview job={job} refresh={refresh} />}</Answered>;
}
