import { useMediaQuery } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { addressOf } from '@/api/client';
import type { Import } from '@/api/schema';
import { MoreMenu } from '@/components/copy_menu';
import { smallIcon } from '@/components/icons';
import { Ledger } from '@/components/ledger';
import { Answered, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { visible } from '@/format/cells';
import { formatWhen } from '@/format/times';
import { Link } from '@/router/link';
import { useSearch, withSearch, type Parameters } from '@/router/router';
import { ledgerRows } from '@/screens/import/counts';
import { useImport } from '@/screens/import/use_import';
import { useCrumbs } from '@/shell/path_store';
import { status as statusWords } from '@/strings/general';
import { t } from '@/strings/grid';
import { t as page } from '@/strings/import_page';
import { DecideButtons, NewRevision, useDecision } from './decide';
import { PhoneRows } from './phone';
import { ChangeSummary } from './summary';
import { TakeOverNote, useTakeOver } from './use_take_over';
import { RowsWork } from './work';
import styles from './grid.module.css';

function Review({ job, refresh }: { job: Import; refresh: () => void }) {
  const decision = useDecision(job);
  const [search, changeSearch] = useSearch();
  const phone = useMediaQuery('(max-width: 639px)', window.innerWidth < 640, { getInitialValueInEffect: false });
  const waits = job.status === 'waiting_for_review';
  // Revisions that were made on this page; any other one is somebody else's.
  const mine = useRef(job.revision);
  const [others, setOthers] = useState(false);
  useEffect(() => {
    if (job.revision > mine.current) {
      const before = mine.current;
      // One's own edit is told a moment before or after the stream tells of it.
      const timer = window.setTimeout(() => {
        if (job.revision > mine.current && mine.current === before) setOthers(true);
        mine.current = Math.max(mine.current, job.revision);
      }, 1500);
      return () => window.clearTimeout(timer);
    }
  }, [job.revision]);
  const taking = useTakeOver(job, (revision) => {
    mine.current = Math.max(mine.current, revision ?? 0);
    refresh();
  });
  const decide = waits && !taking.pending ? <DecideButtons job={job} decision={decision} /> : null;
  return (
    <div className={`page ${phone ? '' : styles.reviewPage}`}>
      <div className="pageHead">
        <div className={styles.title}>
          <div className="row wrap" style={{ columnGap: 12 }}><h1 className="cut">{visible(job.file)}</h1><StatusChip status={job.status} /></div>
          <p className="num">
            <Link to={`/definitions/${encodeURIComponent(job.definition)}`}>{page('definition', { name: job.definition, version: String(job.definition_version) })}</Link>
            {job.created_by && job.created_at ? <> &nbsp;·&nbsp; {page('uploaded', { who: job.created_by, time: formatWhen(job.created_at) })}</> : null}
            {waits ? <> &nbsp;·&nbsp; {page('revision', { revision: job.revision })} &nbsp;·&nbsp; {page('nothingWritten')}</> : null}
          </p>
        </div>
        {phone ? null : (
          <>
            {(job.comparison?.fail ?? job.rows.failed) > 0 ? <a className="btn quiet" href={addressOf('imports.results', { import: job.job_id, which: 'failed' })} download><IconDownload {...smallIcon} />{t('failedRows')}</a> : null}
            {decide}
            {waits ? <MoreMenu command={`lade approve ${job.slug} --revision ${job.revision}`} request={{ method: 'POST', path: `/api/v1/imports/${job.job_id}/approve`, body: { revision: job.revision } }} /> : <Link className="btn main" to={`/imports/${job.job_id}`}>{t('openImport')}</Link>}
          </>
        )}
      </div>
      {decision.error ? <ProblemView error={decision.error} /> : null}
      <TakeOverNote taking={taking} job={job} />
      {!waits ? <div className="strip blue" role="status">{t('decided', { status: statusWords.has(job.status) ? statusWords(job.status) : job.status })}</div> : null}
      {waits && (others || decision.older !== null) ? <NewRevision job={job} onShow={() => { setOthers(false); changeSearch({ state: 'edited', row: null }, { push: true }); }} /> : null}
      <Ledger rows={ledgerRows(job)} ahead={waits} finished={job.state === 'finished'} selected={search.get('state') ?? undefined} linkOf={(state) => withSearch({ state: state === 'all' ? null : state, issue: null, column: null, row: null }, `/imports/${job.job_id}/review`)}>
        {waits && !phone ? <ChangeSummary id={job.job_id} /> : null}
      </Ledger>
      {phone ? (
        <>
          <p className="small dim">{t('largerScreen')}</p>
          <PhoneRows job={job} state="failed" />
          <PhoneRows job={job} state="updated" />
          {decide ? <div className={styles.footer}>{decide}</div> : null}
        </>
      ) : (
        <div className={styles.bleed}>
          <RowsWork
            job={job}
            onRevision={(revision) => {
              mine.current = Math.max(mine.current, revision);
            }}
          />
        </div>
      )}
    </div>
  );
}

/** See and fix what will happen, then decide. */
export default function ReviewScreen({ parameters }: { parameters: Parameters }) {
  const id = parameters.id ?? '';
  const { query, job, refresh } = useImport(id);
  useCrumbs([{ label: page('imports'), to: '/imports' }, { label: job ? visible(job.file) : id, to: `/imports/${id}` }, { label: t('review') }], job ? `${t('review')} ${visible(job.file)}` : undefined);
  return <Answered query={query} heights={[46, 62, 400]}>{(found) => <Review job={found} refresh={refresh} />}</Answered>;
}
