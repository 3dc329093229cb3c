import { IconCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useCall } from '@/api/use_call';
import type { Import } from '@/api/schema';
import { useNow } from '@/components/age';
import { smallIcon } from '@/components/icons';
import { Ledger } from '@/components/ledger';
import { PhaseBar } from '@/components/phase_bar';
import { Answered, NotFound, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { shortId, visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { formatDuration, formatExact, formatWhen } from '@/format/times';
import { useKeys } from '@/keys/keys';
import { Link } from '@/router/link';
import { navigate, type Parameters } from '@/router/router';
import { RowsWork } from '@/screens/review_grid/work';
import { useCrumbs } from '@/shell/path_store';
import { phases as phaseWords } from '@/strings/general';
import { t } from '@/strings/import_page';
import { ActionBar, useActions } from './actions';
import { AuditCard } from './audit_card';
import { isAhead, ledgerRows, settledRows } from './counts';
import { EventsCard } from './events';
import { FailedCard } from './failed_card';
import { IssuesCard } from './issues_card';
import { phaseOf, phasesOf, spoken } from './phases';
import { ResultCard } from './result_card';
import { SettingsTab } from './settings_tab';
import { TasksCard } from './tasks_card';
import { TasksTab } from './tasks_tab';
import { Throughput } from './throughput';
import { hasEnded, useImport, usePace } from './use_import';
import { Waiting } from './waiting';
import styles from './import.module.css';

const tabs = ['overview', 'rows', 'issues', 'tasks', 'events', 'settings'] as const;
type Tab = (typeof tabs)[number];
const kSpeakEvery = 10_000;

function TitleLine({ job }: { job: Import }) {
  const parts = [
    <Link key="definition" to={`/definitions/${encodeURIComponent(job.definition)}`}>{t('definition', { name: job.definition, version: String(job.definition_version) })}</Link>,
    job.started_at ? <span key="started" title={formatExact(job.started_at)}>{job.created_by ? t('started', { time: formatWhen(job.started_at), who: job.created_by }) : t('startedAt', { time: formatWhen(job.started_at) })}</span> : null,
    job.batch ? <Link key="batch" to={`/batches/${encodeURIComponent(job.batch)}`}>{t('inBatch', { batch: job.batch })}</Link> : null,
    job.undoes ? <span key="undoes">{t('undoes', { job: job.undoes })}</span> : null,
    <span key="id" className="mono" title={job.job_id}>{shortId(job.job_id)}</span>,
    hasEnded(job) || isAhead(job) ? null : <span key="close">{t('mayClose')}</span>,
  ].filter((part) => part !== null);
  return <p className="num">{parts.map((part, at) => <span key={part.key}>{at > 0 ? <>&nbsp; · &nbsp;</> : null}{part}</span>)}</p>;
}

/** One polite sentence in ten seconds for those who listen. */
function Spoken({ job, phase }: { job: Import; phase: string }) {
  const [said, setSaid] = useState('');
  const last = useRef(0);
  const text = spoken(job, phase);
  useEffect(() => {
    const wait = Math.max(last.current + kSpeakEvery - Date.now(), 0);
    const timer = window.setTimeout(() => {
      last.current = Date.now();
      setSaid(text);
    }, wait);
    return () => window.clearTimeout(timer);
  }, [text]);
  return <span className="hidden" role="status">{said}</span>;
}

function ImportPage({ job, tab }: { job: Import; tab: Tab }) {
  const path = { import: job.job_id };
  const actions = useActions(job);
  const going = job.status === 'running' || job.status === 'queued';
  const every = going ? 3000 : (false as const);
  const metrics = useCall('imports.metrics', { path }, { refetchInterval: every });
  const map = useCall('imports.task_map', { path }, { refetchInterval: every });
  const issues = useCall('imports.issues', { path });
  const events = useCall('imports.events', { path });
  const now = useNow();
  const phase = phaseOf(job, metrics.data);
  const pace = usePace(phase === 'process' ? settledRows(job) : job.rows_analysed, `${job.job_id} ${phase}`, now);
  const [unfolded, setUnfolded] = useState(false);
  const ended = hasEnded(job);
  const whole = job.started_at && job.finished_at ? formatDuration(Date.parse(job.finished_at) - Date.parse(job.started_at)) : null;
  const folded = ended && whole !== null && !unfolded && job.status !== 'failed';
  const phases = phasesOf(job, { metrics: metrics.data, map: map.data, pace });
  const title = visible(job.file) || job.slug;
  useCrumbs([{ label: t('imports'), to: '/imports' }, { label: title }], going ? `${job.progress} % ${title}` : title);
  const at = (name: Tab) => `/imports/${job.job_id}${name === 'overview' ? '' : `/${name}`}`;
  useKeys(t('tabs'), tabs.map((name, index) => ({ keys: String(index + 1), label: t(name), run: () => navigate(at(name)) })));
  const taskCount = job.tasks ? Object.values(job.tasks).reduce((sum, count) => sum + count, 0) : undefined;
  const counts: Partial<Record<Tab, number | undefined>> = {
    rows: job.rows_total ?? undefined,
    issues: issues.data?.items.reduce((sum, one) => sum + one.count, 0),
    tasks: taskCount,
    events: events.data?.items.length,
  };
  const rowsAt = isAhead(job) ? `/imports/${job.job_id}/review` : at('rows');
  return (
    <div className="page">
      <div className="pageHead">
        <div className={styles.title}>
          <div className="row wrap" style={{ columnGap: 12 }}><h1 className="cut">{title}</h1><StatusChip status={job.status} failed={job.rows.failed || undefined} /></div>
          <TitleLine job={job} />
        </div>
        <div className="row wrap"><ActionBar job={job} actions={actions} /></div>
      </div>
      {actions.error ? <ProblemView error={actions.error} /> : null}
      {job.status === 'failed' ? <FailedCard job={job} metrics={metrics.data} actions={actions} /> : null}
      {job.status === 'rejected' && job.reviewed_by ? <div className="strip">{job.rejected_because ? t('rejectedWhy', { who: job.reviewed_by, why: visible(job.rejected_because) }) : t('rejectedBy', { who: job.reviewed_by })}</div> : null}
      <Waiting job={job} />
      {folded ? (
        <section className={`card ${styles.folded}`} aria-label={phaseWords('label')}>
          {job.status === 'succeeded' ? <IconCheck {...smallIcon} /> : null}
          <span className="num">{t('inTotal', { time: whole })}</span>
          <button type="button" className="linkBtn" onClick={() => setUnfolded(true)}>{t('phasesShow')}</button>
        </section>
      ) : <PhaseBar phases={phases} />}
      {going ? <Spoken job={job} phase={phaseWords(phase)} /> : null}
      <Ledger rows={ledgerRows(job)} ahead={isAhead(job)} finished={ended} shares linkOf={(state) => (state === 'all' ? rowsAt : `${rowsAt}?state=${state}`)} />
      <nav className={styles.tabs} aria-label={t('tabs')}>
        {tabs.map((name) => <Link key={name} to={at(name)} aria-current={tab === name ? 'page' : undefined}>{t(name)}{counts[name] !== undefined ? <b>{formatNumber(counts[name])}</b> : null}</Link>)}
      </nav>
      {tab === 'overview' ? (
        <>
          {ended && job.status !== 'rejected' ? <ResultCard job={job} /> : null}
          <div className={styles.two}>
            <div className="stack"><IssuesCard job={job} most={8} /><EventsCard job={job} most={4} /></div>
            <div className="stack"><Throughput job={job} query={metrics} pace={pace?.rate ?? null} /><TasksCard job={job} query={map} /></div>
          </div>
        </>
      ) : null}
      {tab === 'rows' ? <div className={styles.rowsTab}><RowsWork job={job} /></div> : null}
      {tab === 'issues' ? <IssuesCard job={job} /> : null}
      {tab === 'tasks' ? <TasksTab job={job} /> : null}
      {tab === 'events' ? <><EventsCard job={job} /><AuditCard job={job} /></> : null}
      {tab === 'settings' ? <SettingsTab job={job} /> : null}
    </div>
  );
}

/** One import: how far, how good, what next. */
export default function ImportScreen({ parameters }: { parameters: Parameters }) {
  const id = parameters.id ?? '';
  const { query } = useImport(id);
  const tab = tabs.find((name) => name === (parameters.tab ?? 'overview'));
  if (!tab) return <NotFound />;
  return <Answered query={query} heights={[46, 82, 62, 32, 300]}>{(job) => <ImportPage key={job.job_id} job={job} tab={tab} />}</Answered>;
}
