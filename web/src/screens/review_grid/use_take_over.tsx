import { useEffect, useRef, useState } from 'react';
import { call } from '@/api/client';
import { useMay, useMe } from '@/api/me';
import { isCallError } from '@/api/problem';
import type { Import } from '@/api/schema';
import { t } from '@/strings/preview';

export interface TakeOver {
  /** its rows are about to be corrected */
  pending: boolean;
  failed: { count: number; why: string } | null;
  /** rows whose corrections wait for whoever made the import */
  others: number;
}

/**
 * Corrections of the preview that somebody went back from are made again in this one, once its rows are checked. The server knows of them, so
 * any page of this person on any device does it; somebody else's are left to them.
 */
export function useTakeOver(job: Import, onTaken: (revision: number | null) => void): TakeOver {
  const may = useMay();
  const me = useMe();
  const [failed, setFailed] = useState<TakeOver['failed']>(null);
  const [done, setDone] = useState(false);
  const asked = useRef(false);
  const taken = useRef(onTaken);
  taken.current = onTaken;
  const kept = job.status === 'waiting_for_review' ? job.takes_over : null;
  const own = me.data !== undefined && job.created_by === me.data.user && may('imports.take_over');
  const from = kept?.import;
  const rows = kept?.rows ?? 0;
  useEffect(() => {
    if (!from || !own || asked.current) return;
    asked.current = true;
    call('imports.take_over', { path: { import: job.job_id }, body: { from } })
      .then(
        (answer) => taken.current(answer.revision),
        (problem: unknown) => {
          setFailed({ count: rows, why: isCallError(problem) ? problem.problem.detail : String(problem) });
          taken.current(null);
        },
      )
      .finally(() => setDone(true));
  }, [from, rows, own, job.job_id]);
  return { pending: from !== undefined && own && !done, failed, others: from !== undefined && !own ? rows : 0 };
}

/** What was not taken over, and why. */
export function TakeOverNote({ taking, job }: { taking: TakeOver; job: Import }) {
  if (taking.failed) return <div className="strip amber" role="alert"><b>{t('notTaken', { count: taking.failed.count })}</b> {taking.failed.why}</div>;
  if (taking.others > 0) return <div className="strip amber" role="status">{t('notTakenYet', { count: taking.others, who: job.created_by })}</div>;
  return null;
}
