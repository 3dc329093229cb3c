import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import { isCallError } from '@/api/problem';
import type { Import } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { t } from '@/strings/imports';
import { collectMatching, countMatching, kMostMatching, type Matching } from './all_matching';
import type { Filters } from './filters';
import styles from './imports.module.css';

type Action = 'pause' | 'resume' | 'cancel' | 'retry';

// Which of the marked imports an action makes sense for: the button counts only those.
const fits: Record<Action, (one: Import) => boolean> = {
  pause: (one) => one.status === 'running' || one.status === 'queued',
  resume: (one) => one.status === 'paused',
  cancel: (one) => one.state !== 'finished',
  retry: (one) => one.status === 'failed' || one.status === 'cancelled',
};

const kPage = 1000;

interface Props {
  chosen: Import[];
  filters: Filters;
  /** some that fit are not marked */
  more: boolean;
  /** all that fit, once somebody has asked for them */
  all: Matching | null;
  onAll: (all: Matching) => void;
  clear: () => void;
  /** what the server refused, by import; it is shown in that row */
  onProblems: (problems: ReadonlyMap<string, string>) => void;
}

/** Asks before many, or before what cannot be taken back. */
async function isWanted(action: Action, count: number, many: boolean): Promise<boolean> {
  if (action === 'cancel') return confirm({ title: t('cancelTitle', { count }), body: t('cancelBody'), keep: t('keepRunning'), action: t('cancelDo', { count }), danger: true });
  return !many || confirm({ title: t(`${action}Title`, { count }), body: t(`${action}Body`), keep: t('leave'), action: t(`${action}Do`, { count }) });
}

/** What can be done with the marked imports, or with all that fit the filters; each button with its number. */
export function SelectionBar({ chosen: marked, filters, more, all, onAll, clear, onProblems }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const counts = useCall('imports.counts', { query: { definition: filters.definition, owner: filters.owner } }, { keep: true });
  const [working, setWorking] = useState<{ action: Action; done: number; of: number } | null>(null);
  const [collecting, setCollecting] = useState(false);
  const [said, setSaid] = useState('');
  const stop = useRef(false);
  const chosen = all?.items ?? marked;
  const matching = countMatching(filters, counts.data);
  const collect = async () => {
    setCollecting(true);
    setSaid('');
    try {
      onAll(await collectMatching((cursor) => call('imports.list', { query: { ...filters, limit: kPage, ...(cursor ? { cursor } : {}) } })));
    } catch (error) {
      setSaid(isCallError(error) ? error.problem.detail : String(error));
    } finally {
      setCollecting(false);
    }
  };
  const run = async (action: Action, list: Import[]) => {
    if (!(await isWanted(action, list.length, all !== null))) return;
    stop.current = false;
    setSaid('');
    const problems = new Map<string, string>();
    let done = 0;
    for (const one of list) {
      if (stop.current) break;
      setWorking({ action, done, of: list.length });
      try {
        await call(`imports.${action}`, { path: { import: one.job_id }, body: {} as never });
      } catch (error) {
        problems.set(one.job_id, isCallError(error) ? error.problem.detail : String(error));
      }
      done += 1;
    }
    setWorking(null);
    onProblems(problems);
    if (problems.size > 0) setSaid(t('refusedMany', { count: problems.size, done: done - problems.size }));
    else if (all) setSaid(t('doneMany', { done, of: list.length }));
    await client.invalidateQueries({ queryKey: ['imports.list'] });
    await client.invalidateQueries({ queryKey: ['imports.counts'] });
    // They stand otherwise now: whoever wants all of them again says so again.
    if (all) onAll(await collectMatching((cursor) => call('imports.list', { query: { ...filters, limit: kPage, ...(cursor ? { cursor } : {}) } })).catch(() => all));
  };
  return (
    <div className={styles.selection} role="toolbar" aria-label={t('selected', { count: chosen.length })}>
      <b className="num">{all ? t('allSelected', { count: chosen.length }) : t('selected', { count: chosen.length })}</b>
      {all?.cut ? <span className="small amber">{t('allCut', { most: kMostMatching })}</span> : null}
      {working && working.of > 1 ? (
        <span className="row small num" role="status">{t('workingOn', { done: working.done, of: working.of })} <button type="button" className="linkBtn" onClick={() => { stop.current = true; }}>{t('stop')}</button></span>
      ) : (Object.keys(fits) as Action[]).map((action) => {
        const list = chosen.filter(fits[action]);
        if (list.length === 0 || !may(`imports.${action}`)) return null;
        return <Button key={action} small pending={working?.action === action} look={action === 'cancel' ? 'danger' : undefined} onClick={() => void run(action, list)}>{t(action)} {list.length}</Button>;
      })}
      {said ? <span className="small" role="status">{said}</span> : null}
      <span className="row right">
        {more && !all && !working ? <Button small look="quiet" pending={collecting} onClick={() => void collect()}>{matching === undefined ? t('selectAllUncounted') : t('selectAll', { count: matching })}</Button> : null}
        <button type="button" className="linkBtn small" onClick={clear}>{t('unselect')}</button>
      </span>
    </div>
  );
}
