import { Menu } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconCopyPlus, IconPlayerPause, IconPlayerPlay, IconRefresh, IconTrash, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { call, type CallName } from '@/api/client';
import { useConnection } from '@/api/live';
import { useMay } from '@/api/me';
import type { Import } from '@/api/schema';
import { keyOf } from '@/api/use_call';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { MoreMenu } from '@/components/copy_menu';
import { smallIcon } from '@/components/icons';
import { toast } from '@/components/toast';
import { visible } from '@/format/cells';
import { useKeys } from '@/keys/keys';
import { Link } from '@/router/link';
import { navigate } from '@/router/router';
import { t } from '@/strings/import_page';
import { hasEnded } from './use_import';
import { settledRows, writtenRows } from './counts';

type Action = 'pause' | 'resume' | 'cancel' | 'retry' | 'clone' | 'delete';

/** What can be done to an import, each action saying beforehand what it does. `error` stays on the page. */
export function useActions(job: Import) {
  const client = useQueryClient();
  const [working, setWorking] = useState<Action | null>(null);
  const [error, setError] = useState<unknown>(null);
  const path = { import: job.job_id };

  const run = async (action: Action, body?: object): Promise<Import | undefined> => {
    setWorking(action);
    setError(null);
    try {
      return (await call(`imports.${action}` as CallName, { path, ...(action === 'delete' ? {} : { body: body ?? {} }) } as never)) as Import | undefined;
    } catch (problem) {
      setError(problem);
      return undefined;
    } finally {
      setWorking(null);
      await client.invalidateQueries({ queryKey: keyOf('imports.show', { path }) });
    }
  };
  const pause = async () => {
    if (await run('pause')) toast(t('paused'));
  };
  const resume = async () => {
    if (await run('resume')) toast(t('resumed'));
  };
  const cancel = async () => {
    const written = writtenRows(job);
    const left = Math.max((job.rows_total ?? job.rows.read) - settledRows(job), 0);
    const body = written > 0 ? `${t('cancelWritten', { count: written })} ${t('cancelLeft', { count: left })}` : t('cancelNothing');
    if (!(await confirm({ title: t('cancelTitle'), body, keep: t('keepRunning'), action: t('cancelDo'), danger: true }))) return;
    if (await run('cancel')) toast(t('cancelling'));
  };
  const retry = async (body?: object) => {
    if (await run('retry', body)) toast(t('retried'));
  };
  const clone = async () => {
    if (!(await confirm({ title: t('cloneTitle'), body: t('cloneBody', { file: visible(job.file) }), keep: t('cloneKeep'), action: t('cloneDo') }))) return;
    const made = await run('clone', { force: true, review: 'always' });
    if (made) navigate(`/new/${made.job_id}/preview`);
  };
  const remove = async () => {
    if (!(await confirm({ title: t('removeTitle'), body: t('removeBody'), keep: t('removeKeep'), action: t('removeDo'), danger: true }))) return;
    setWorking('delete');
    try {
      await call('imports.delete', { path });
      navigate('/imports');
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(null);
    }
  };
  return { working, error, pause, resume, cancel, retry, clone, remove };
}

export type Actions = ReturnType<typeof useActions>;

function retryWords(job: Import): string {
  const failed = job.tasks?.failed ?? 0;
  return failed > 0 ? t('retryTasks', { count: failed }) : t('retry');
}

/** Which rows wait for a person, in numbers. */
function reviewWords(job: Import): string {
  const found = job.comparison;
  const changes = t('changes', { count: (found?.insert ?? 0) + (found?.update ?? 0) + (found?.delete ?? 0) });
  const failed = found?.fail ?? 0;
  return failed > 0 ? t('reviewWith', { failed: t('failedRows', { count: failed }), changes }) : t('reviewChanges', { changes });
}

/** What is most likely next stands rightmost and is the only filled button; while it runs none is. */
export function ActionBar({ job, actions }: { job: Import; actions: Actions }) {
  const may = useMay();
  const { connection } = useConnection();
  const away = connection === 'polling' ? 'No connection' : null;
  const ended = hasEnded(job);
  const waits = job.status === 'waiting_for_review';
  const canPause = !ended && !waits && may('imports.pause');
  const canRetry = (job.status === 'failed' || job.status === 'cancelled') && may('imports.retry');
  const fixable = ended && job.rows.failed > 0 && job.status === 'succeeded' && may('imports.fix');
  const others = (job.tasks?.succeeded ?? 0) + (job.tasks?.pending ?? 0);
  useKeys(t('keys'), [
    ...(canPause ? [{ keys: 'p', label: t('keyPause'), run: () => void (job.paused ? actions.resume() : actions.pause()) }] : []),
    { keys: 'a', label: t('keyMain'), run: () => document.querySelector<HTMLElement>('[data-main-action]')?.focus() },
  ]);
  return (
    <>
      {canPause ? (
        job.paused
          ? <Button icon={<IconPlayerPlay {...smallIcon} />} pending={actions.working === 'resume'} disabledBecause={away} onClick={() => void actions.resume()}>{t('resume')}</Button>
          : <Button icon={<IconPlayerPause {...smallIcon} />} pending={actions.working === 'pause'} disabledBecause={away} onClick={() => void actions.pause()}>{t('pause')}</Button>
      ) : null}
      {!ended && may('imports.cancel') ? <Button icon={<IconX {...smallIcon} />} pending={actions.working === 'cancel' || job.cancel_requested} disabledBecause={away} onClick={() => void actions.cancel()}>{t('cancel')}</Button> : null}
      {waits ? <Link className="btn main" data-main-action="" to={`/imports/${job.job_id}/review`}>{reviewWords(job)}</Link> : null}
      {canRetry ? <Button look="main" data-main-action="" icon={<IconRefresh {...smallIcon} />} pending={actions.working === 'retry'} disabledBecause={away} title={others > 0 ? t('retryOthers', { count: others }) : undefined} onClick={() => void actions.retry()}>{retryWords(job)}</Button> : null}
      {fixable ? <Link className="btn main" data-main-action="" to={`/imports/${job.job_id}/rows?state=failed`}>{t('fix', { count: job.rows.failed })}</Link> : null}
      <MoreMenu {...teach(job)}>
        {may('imports.clone') ? <Menu.Item leftSection={<IconCopyPlus {...smallIcon} />} onClick={() => void actions.clone()}>{t('clone')}</Menu.Item> : null}
        {ended && may('imports.delete') ? <Menu.Item color="red" leftSection={<IconTrash {...smallIcon} />} onClick={() => void actions.remove()}>{t('remove')}</Menu.Item> : null}
      </MoreMenu>
    </>
  );
}

/** The same as a line for a shell and as a request: what the main action does now. */
function teach(job: Import) {
  const at = `/api/v1/imports/${job.job_id}`;
  if (job.status === 'waiting_for_review') return { command: `lade approve ${job.slug} --revision ${job.revision}`, request: { method: 'POST', path: `${at}/approve`, body: { revision: job.revision } } };
  if (job.status === 'failed' || job.status === 'cancelled') return { command: `lade jobs retry ${job.slug}`, request: { method: 'POST', path: `${at}/retry`, body: {} } };
  if (job.status === 'succeeded') return { command: `lade undo ${job.slug}`, request: { method: 'POST', path: `${at}/undo`, body: {} } };
  if (job.paused) return { command: `lade jobs resume ${job.slug}`, request: { method: 'POST', path: `${at}/resume`, body: {} } };
  return { command: `lade jobs show ${job.slug}`, request: { method: 'GET', path: at } };
}

