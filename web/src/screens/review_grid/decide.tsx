import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { useConnection } from '@/api/live';
import { useMay, useMe } from '@/api/me';
import { isCallError } from '@/api/problem';
import type { Import } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { confirm, confirmWithLine } from '@/components/confirm';
import { copyText } from '@/components/copy';
import { navigate } from '@/router/router';
import { t } from '@/strings/grid';

const kReasonLetters = 240;

/** "Import 1,204 new and 3,862 changed": what pressing it will do, in numbers. */
export function approveWords(found: NonNullable<Import['comparison']>): string {
  const parts = [
    ...(found.insert > 0 ? [t('approveNew', { count: found.insert })] : []),
    ...(found.update > 0 ? [t('approveChanged', { count: found.update })] : []),
    ...(found.delete > 0 ? [t('approveDeleted', { count: found.delete })] : []),
  ];
  if (parts.length === 0) return t('approveNothing');
  const last = parts.pop()!;
  return t('approve', { parts: parts.length > 0 ? t('and', { first: parts.join(', '), last }) : last });
}

/** Why somebody cannot approve; null: they can. */
export function useApproveBar(job: Import): string | null {
  const may = useMay();
  const me = useMe();
  const { connection } = useConnection();
  if (!may('imports.approve')) return t('notReviewer');
  if (me.data?.company.approver_must_differ && job.created_by === me.data.user) return t('fourEyes');
  if (connection === 'polling') return t('noConnection');
  return null;
}

/** Approving and rejecting. An approval names the revision whose numbers are on the button; nothing is shown as done before the server says so. */
export function useDecision(job: Import) {
  const client = useQueryClient();
  const [working, setWorking] = useState<'approve' | 'reject' | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [older, setOlder] = useState<number | null>(null);
  const key = keyOf('imports.show', { path: { import: job.job_id } });

  const decide = async (what: 'approve' | 'reject', reason = '') => {
    setWorking(what);
    setError(null);
    setOlder(null);
    try {
      const path = { import: job.job_id };
      await (what === 'approve' ? call('imports.approve', { path, body: {}, headers: { 'If-Match': `"${job.revision}"` } }) : call('imports.reject', { path, body: { reason } }));
      await client.invalidateQueries({ queryKey: key });
      navigate(`/imports/${job.job_id}`);
    } catch (problem) {
      if (isCallError(problem) && problem.status === 412) setOlder(job.revision);
      else setError(problem);
      await client.invalidateQueries({ queryKey: key });
      await client.invalidateQueries({ queryKey: ['imports.grid', { import: job.job_id }] });
    } finally {
      setWorking(null);
    }
  };
  const approve = async () => {
    const found = job.comparison;
    if (!found) return;
    const said = [...(found.fail > 0 ? [t('leftOut', { count: found.fail })] : []), ...(found.remove > 0 ? [t('willRemove', { count: found.remove })] : [])];
    const title = found.remove > 0 ? t('approveTitleRemoved') : t('approveTitle');
    if (said.length > 0 && !(await confirm({ title, body: said.join(' '), keep: t('goBackApprove'), action: approveWords(found) }))) return;
    await decide('approve');
  };
  const reject = async () => {
    const line = { label: t('rejectReason'), missing: t('rejectMissing'), most: kReasonLetters };
    const reason = await confirmWithLine({ title: t('rejectTitle'), body: t('rejectBody'), keep: t('rejectKeep'), action: t('rejectDo'), danger: true, line });
    if (reason !== null) await decide('reject', reason);
  };
  return { working, error, older, approve, reject };
}

export type Decision = ReturnType<typeof useDecision>;

/** The two buttons of a review; the one that imports carries the numbers. */
export function DecideButtons({ job, decision }: { job: Import; decision: Decision }) {
  const may = useMay();
  const bar = useApproveBar(job);
  const found = job.comparison;
  return (
    <>
      {may('imports.reject') ? <Button pending={decision.working === 'reject'} onClick={() => void decision.reject()}>{t('reject')}</Button> : null}
      <Button look="main" data-main-action pending={decision.working === 'approve' || (!found && bar === null)} disabledBecause={bar} onClick={() => void decision.approve()}>
        {found ? approveWords(found) : t('approve', { parts: '' })}
      </Button>
      {bar === t('fourEyes') ? <button type="button" className="linkBtn small" onClick={() => void copyText(window.location.href)}>{t('copyLink')}</button> : null}
    </>
  );
}

/** Somebody else made a new revision while this one was looked at: the numbers are new and have to be pressed again. */
export function NewRevision({ job, onShow }: { job: Import; onShow: () => void }) {
  const events = useCall('imports.events', { path: { import: job.job_id } }, { staleTime: 0 });
  const who = events.data?.items.findLast((event) => event.event === 'fixed')?.actor;
  return (
    <div className="strip amber" role="alert">
      <span>{t('newRevision', { who: who || t('newRevisionSomeone'), revision: job.revision })} {t('changedFirst')}</span>
      <button type="button" className="linkBtn" onClick={onShow}>{t('showThose')}</button>
    </div>
  );
}
