import { IconArrowBackUp, IconDownload, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { addressOf, call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Import } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { ProblemView } from '@/components/states';
import { toast } from '@/components/toast';
import { formatBytes, formatNumber } from '@/format/numbers';
import { formatDay } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/import_page';
import { writtenRows } from './counts';
import { UndoDialog } from './undo_dialog';
import styles from './import.module.css';

const kJournalDays = 30;
const kDay = 24 * 3600 * 1000;

function Download({ job, which, count, label }: { job: Import; which: string; count: number; label: string }) {
  if (count === 0) return null;
  return (
    <a className={styles.download} href={addressOf('imports.results', { import: job.job_id, which })} download>
      <IconDownload {...smallIcon} />
      <span className="grow">{label}</span>
      <span className="num">{formatNumber(count)}</span>
    </a>
  );
}

/** Sends the failed file back, corrected. */
function UploadCorrected({ job }: { job: Import }) {
  const client = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async (file: File) => {
    setWorking(true);
    setError(null);
    try {
      const form = new FormData();
      form.append('file', file);
      await call('imports.fix', { path: { import: job.job_id }, body: form });
      toast(t('sent'));
      await client.invalidateQueries({ queryKey: keyOf('imports.show', { path: { import: job.job_id } }) });
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  return (
    <>
      <input ref={input} type="file" hidden aria-label={t('uploadCorrected')} onChange={(event) => { const file = event.target.files?.[0]; event.target.value = ''; if (file) void send(file); }} />
      <Button icon={<IconUpload {...smallIcon} />} pending={working} title={t('uploadCorrectedNote')} onClick={() => input.current?.click()}>{t('uploadCorrected')}</Button>
      {error ? <ProblemView error={error} compact retry={() => input.current?.click()} /> : null}
    </>
  );
}

/** After the end: what one can take along, put right or take back. */
export function ResultCard({ job }: { job: Import }) {
  const may = useMay();
  const [undoing, setUndoing] = useState(false);
  const issues = useCall('imports.issues', { path: { import: job.job_id } }).data?.items ?? [];
  const countOf = (code: string) => issues.filter((one) => one.code === code).reduce((sum, one) => Math.max(sum, one.count), 0);
  const left = countOf('changed_since_review');
  const superseded = countOf('superseded');
  const went = job.rows.inserted + job.rows.updated + job.rows.unchanged + job.rows.deleted;
  const until = job.finished_at ? Date.parse(job.finished_at) + kJournalDays * kDay : null;
  const undoable = writtenRows(job) + job.rows.removed > 0 && job.undone_by === null && ['succeeded', 'failed', 'cancelled'].includes(job.status) && may('imports.undo');
  const fixable = job.rows.failed > 0 && ['succeeded', 'failed', 'cancelled'].includes(job.status) && may('imports.fix');
  return (
    <section className="card" aria-label={t('result')}>
      <header><h2>{t('result')}</h2>{job.file_id ? <a className="right small" href={addressOf('files.content', { file: job.file_id })} download title={t('downloadFile')}>{t('file')}, {formatBytes(job.file_bytes)}</a> : <span className="right faint">{t('fileGone')}</span>}</header>
      <div className={styles.result}>
        <div className={styles.downloads}>
          <Download job={job} which="succeeded" count={went} label={t('resultSucceeded')} />
          <Download job={job} which="failed" count={job.rows.failed} label={t('resultFailed')} />
          <Download job={job} which="unprocessed" count={job.rows.unprocessed} label={t('resultUnprocessed')} />
          <p className="caption faint">{t('downloadNote')}</p>
        </div>
        <div className="stack" style={{ gap: 8 }}>
          {left > 0 ? <p className="small">{t('changedSinceReview', { count: left })} · <Link to={`/imports/${job.job_id}/rows?issue=changed_since_review`}>{t('show')}</Link></p> : null}
          {superseded > 0 ? <p className="small">{t('superseded', { count: superseded })} · <Link to={`/imports/${job.job_id}/rows?issue=superseded`}>{t('show')}</Link></p> : null}
          <div className="row wrap">
            {fixable ? <Link className="btn" to={`/imports/${job.job_id}/rows?state=failed`}>{t('fixHere')}</Link> : null}
            {fixable ? <UploadCorrected job={job} /> : null}
            {undoable ? <Button icon={<IconArrowBackUp {...smallIcon} />} onClick={() => setUndoing(true)}>{until !== null ? t('undoUntil', { day: formatDay(until) }) : t('undo')}</Button> : null}
            {job.undone_by ? <Link to={`/imports?q=${encodeURIComponent(job.undone_by)}`}>{t('undoneBy', { job: job.undone_by })}</Link> : null}
          </div>
        </div>
      </div>
      {undoing ? <UndoDialog job={job} onClose={() => setUndoing(false)} /> : null}
    </section>
  );
}
