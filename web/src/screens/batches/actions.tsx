import { Menu } from '@mantine/core';
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconRefresh, IconX } from '@tabler/icons-react';
import { addressOf, call, type CallName } from '@/api/client';
import { useMay } from '@/api/me';
import type { Batch, Calls } from '@/api/schema';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { MoreMenu } from '@/components/copy_menu';
import { smallIcon } from '@/components/icons';
import { ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { collectMatching } from '@/screens/imports/all_matching';
import { t } from '@/strings/batches';

/** What an action on a batch changes. */
export const touched: CallName[] = ['batches.show', 'batches.list', 'batches.tasks', 'batches.stages', 'batches.metrics', 'batches.events', 'imports.list'];

export type Outcome = Calls['batches.retry']['answer'];

/** What the server said that it did not do, by code. */
export function refusedOf(outcome: Outcome): string {
  return Object.entries(outcome.refused ?? {}).map(([code, count]) => ` ${t('refused', { count, code })}`).join('');
}

type Question = Parameters<typeof confirm>[0];

/** Everything that can be done with the whole batch; what cannot be is absent. */
export function Actions({ batch }: { batch: Batch }) {
  const may = useMay();
  const action = useAction();
  const path = { batch: batch.batch_id };
  const ended = ['succeeded', 'failed', 'cancelled'].includes(batch.status);
  const final = Boolean(batch.finalized_at);
  const act = async (name: 'pause' | 'resume' | 'cancel' | 'retry' | 'requeue_stuck' | 'finalize' | 'approve_all' | 'reject_all', said: (done: Outcome) => string, body: object = {}, ask?: Question) => {
    if (ask && !(await confirm(ask))) return;
    await action.run(`${name}${JSON.stringify(body)}`, async () => {
      const done = await call(`batches.${name}`, { path, body: body as never });
      return said(done) + refusedOf(done);
    }, touched);
  };
  const retry = (status: 'failed' | 'blocked') => act('retry', (done) => t('retried', { count: done.tasks_done ?? done.done ?? 0 }), batch.tasks ? { status } : {});
  /** Asks with the number of imports that it is about, counted when it is asked. */
  const decideAll = async (what: 'approve' | 'reject') => {
    let count = 0;
    await action.run('count', async () => {
      const filters = { batch: batch.name, status: 'waiting_for_review', limit: 500 };
      count = (await collectMatching((cursor) => call('imports.list', { query: { ...filters, ...(cursor ? { cursor } : {}) } }))).items.length;
      if (count === 0) return t('noneWaits');
    });
    if (count === 0) return;
    const said = (done: Outcome) => t(what === 'approve' ? 'approvedToast' : 'rejectedToast', { count: done.done ?? 0 });
    await act(`${what}_all`, said, {}, { title: t(`${what}Title`, { count }), body: t(`${what}Body`), keep: t('approveKeep'), action: t(`${what}Do`, { count }), danger: what === 'reject' });
  };
  const busy = (name: string) => action.working?.startsWith(name) ?? false;
  return (
    <>
      <span className="row right wrap">
        {!ended && batch.status !== 'paused' && may('batches.pause') ? <Button icon={<IconPlayerPause {...smallIcon} />} pending={busy('pause')} onClick={() => void act('pause', () => t('pausedToast'))}>{t('pause')}</Button> : null}
        {batch.status === 'paused' && may('batches.resume') ? <Button icon={<IconPlayerPlay {...smallIcon} />} pending={busy('resume')} onClick={() => void act('resume', () => t('resumedToast'))}>{t('resume')}</Button> : null}
        {!ended && may('batches.cancel') ? (
          <Button icon={<IconX {...smallIcon} />} pending={busy('cancel')} onClick={() => void act('cancel', (done) => t('cancelledToast', { count: done.done ?? 0 }), {}, { title: t('cancelTitle'), body: t('cancelBody', { done: batch.tasks?.processed ?? batch.jobs.finished, total: batch.tasks?.total ?? batch.jobs.total }), keep: t('keep'), action: t('cancelDo'), danger: true })}>{t('cancel')}</Button>
        ) : null}
        {!final && may('batches.retry') && (batch.tasks?.blocked ?? 0) > 0 ? <Button icon={<IconRefresh {...smallIcon} />} pending={busy('retry{"status":"blocked')} onClick={() => void retry('blocked')}>{t('retryBlocked', { count: batch.tasks!.blocked })}</Button> : null}
        {!final && may('batches.retry') && (batch.tasks?.failed ?? batch.jobs.failed) > 0 ? <Button look="main" icon={<IconRefresh {...smallIcon} />} pending={busy('retry{"status":"failed') || busy('retry{}')} onClick={() => void retry('failed')}>{t('retryFailed', { count: batch.tasks?.failed ?? batch.jobs.failed })}</Button> : null}
        <MoreMenu command={`lade batches show ${batch.name}`} request={{ method: 'GET', path: `/api/v1/batches/${batch.batch_id}` }}>
          {!ended && may('batches.requeue_stuck') ? <Menu.Item onClick={() => void act('requeue_stuck', (done) => t('requeued', { count: done.tasks_done ?? 0 }), {}, { title: t('requeueTitle'), body: t('requeueBody'), keep: t('requeueKeep'), action: t('requeueDo') })}>{t('requeue')}</Menu.Item> : null}
          {!ended && may('batches.approve_all') ? <Menu.Item onClick={() => void decideAll('approve')}>{t('approveAll')}</Menu.Item> : null}
          {!ended && may('batches.reject_all') ? <Menu.Item onClick={() => void decideAll('reject')}>{t('rejectAll')}</Menu.Item> : null}
          {ended && !final && may('batches.finalize') ? <Menu.Item onClick={() => void act('finalize', () => t('finalizedToast'), {}, { title: t('finalizeTitle'), body: t('finalizeBody'), keep: t('finalizeKeep'), action: t('finalizeDo') })}>{t('finalize')}</Menu.Item> : null}
          {may('batches.errors') ? <Menu.Item component="a" download href={addressOf('batches.errors', path)} leftSection={<IconDownload {...smallIcon} />}>{t('exportErrors')}</Menu.Item> : null}
          {may('batches.export') ? <Menu.Item component="a" download href={addressOf('batches.export', path, { format: 'json' })} leftSection={<IconDownload {...smallIcon} />}>{t('exportJson')}</Menu.Item> : null}
          {may('batches.export') ? <Menu.Item component="a" download href={addressOf('batches.export', path, { format: 'csv' })} leftSection={<IconDownload {...smallIcon} />}>{t('exportCsv')}</Menu.Item> : null}
        </MoreMenu>
      </span>
      {action.error ? <div style={{ flexBasis: '100%' }}><ProblemView error={action.error} /></div> : null}
    </>
  );
}
