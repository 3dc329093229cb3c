import { Fragment } from 'react';
import { Drawer } from '@mantine/core';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Batch, FetchedPage, Quality, RowTask } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { copyText } from '@/components/copy';
import { Answered, ProblemView } from '@/components/states';
import { StatusChip } from '@/components/status_chip';
import { useAction } from '@/components/use_action';
import { shortId, visible } from '@/format/cells';
import { formatBytes, formatNumber } from '@/format/numbers';
import { formatDuration, formatExact } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/batches';
import { touched } from './actions';

// Only addresses that a browser opens as a page: what a manifest says is a stranger's text.
const isWeb = (address: string): boolean => /^https?:\/\//i.test(address);

function Address({ url }: { url: string }) {
  return isWeb(url) ? <a href={url} target="_blank" rel="noreferrer noopener">{visible(url)}</a> : <>{visible(url)}</>;
}

function Fetched({ page, source }: { page: FetchedPage; source: string | null }) {
  const type = page.headers['content-type'];
  return (
    <>
      {page.url !== source ? <><dt>{t('finalUrl')}</dt><dd><Address url={page.url} /></dd></> : null}
      <dt>{t('fetchedAt')}</dt><dd>{formatExact(page.fetched_at)}{page.not_modified ? ` (${t('notModified')})` : ''}</dd>
      {type ? <><dt>{t('contentType')}</dt><dd className="mono">{visible(type)}</dd></> : null}
      <dt>{t('size')}</dt><dd className="num">{formatBytes(page.bytes)}</dd>
    </>
  );
}

const kParts = ['completeness', 'resolution', 'source', 'validation'] as const;

function QualityOf({ quality }: { quality: Quality }) {
  return (
    <section aria-label={t('quality')}>
      <h3>{t('quality')}</h3>
      <p>{t('qualityTier', { tier: t(quality.tier), score: Math.round(quality.score * 100) })}</p>
      <dl className="kv">
        {kParts.map((part) => <Fragment key={part}><dt>{t(`quality_${part}`)}</dt><dd className="num">{formatNumber(quality[part], 2)}</dd></Fragment>)}
      </dl>
    </section>
  );
}

function Evidence({ task }: { task: RowTask }) {
  if (!task.source_url && !task.evidence && !task.checksum) return null;
  return (
    <section aria-label={t('evidence')}>
      <h3>{t('evidence')}</h3>
      <dl className="kv">
        {task.source_url ? <><dt>{t('sourceUrl')}</dt><dd><Address url={task.source_url} /></dd></> : null}
        {task.http_status ? <><dt>{t('httpStatus')}</dt><dd className="num">{task.http_status}</dd></> : null}
        {task.fetched ? <Fetched page={task.fetched} source={task.source_url} /> : null}
        {task.evidence?.startsWith('/api/') ? <><dt>{t('storedPage')}</dt><dd><a href={task.evidence} download>{t('download')}</a></dd></> : null}
        {task.checksum ? <><dt>{t('checksum')}</dt><dd className="mono">{task.checksum}</dd></> : null}
      </dl>
    </section>
  );
}

function Fault({ error }: { error: NonNullable<RowTask['error']> }) {
  return (
    <section className="stack" aria-label={t('error')}>
      <ProblemView error={new Error(visible(error.message ?? error.code ?? ''))} />
      {error.reason ? <p className="small dim">{t('reason')}: {visible(error.reason)}</p> : null}
      <pre tabIndex={0}>{JSON.stringify(error, null, 2)}</pre>
      <div><Button small onClick={() => void copyText(JSON.stringify(error, null, 2))}>{t('copyError')}</Button></div>
    </section>
  );
}

/** One task with its attempts, its error and what it was made of. */
export function TaskDrawer({ batch, id, onClose }: { batch: Batch; id: string; onClose: () => void }) {
  const may = useMay();
  const action = useAction();
  const query = useCall('batches.task', { path: { batch: batch.batch_id, task: id } }, { refetchInterval: 5_000 });
  const retry = () => action.run('retry', async () => { const done = await call('batches.retry', { path: { batch: batch.batch_id }, body: { ids: [id] } }); return t('retried', { count: done.tasks_done ?? 0 }); }, [...touched, 'batches.task']);
  return (
    <Drawer opened onClose={onClose} title={t('task', { id })} closeButtonProps={{ 'aria-label': t('close') }}>
      <Answered query={query} compact>
        {(task) => (
          <div className="stack">
            <div className="row"><StatusChip status={task.status} /><b className="cut">{visible(task.key)}</b></div>
            <dl className="kv">
              <dt>{t('stage')}</dt><dd>{task.type}</dd>
              <dt>{t('attempts')}</dt><dd>{formatNumber(task.attempt)}</dd>
              {task.duration_ms ? <><dt>{t('duration')}</dt><dd>{formatDuration(task.duration_ms)}</dd></> : null}
              {task.started_at ? <><dt>{t('startedAt')}</dt><dd>{formatExact(task.started_at)}</dd></> : null}
              {task.completed_at ? <><dt>{t('endedAt')}</dt><dd>{formatExact(task.completed_at)}</dd></> : null}
              <dt>{t('importOf')}</dt><dd><Link className="mono" to={`/imports/${task.job_id}`}>{shortId(task.job_id)}</Link></dd>
              {task.row ? <><dt>{t('row')}</dt><dd className="num">{formatNumber(task.row)}</dd></> : null}
              {task.idempotency_key ? <><dt>{t('idempotency')}</dt><dd className="mono">{task.idempotency_key}</dd></> : null}
            </dl>
            {task.error ? <Fault error={task.error} /> : null}
            <Evidence task={task} />
            {task.quality ? <QualityOf quality={task.quality} /> : null}
            {task.fields ? <section><h3>{t('fields')}</h3><pre tabIndex={0}>{JSON.stringify(task.fields, null, 2)}</pre></section> : null}
            {action.error ? <ProblemView error={action.error} compact /> : null}
            {['failed', 'blocked', 'retryable'].includes(task.status) && !batch.finalized_at && may('batches.retry') ? <div><Button look="main" pending={action.working !== null} onClick={() => void retry()}>{t('retryThis')}</Button></div> : null}
          </div>
        )}
      </Answered>
    </Drawer>
  );
}
