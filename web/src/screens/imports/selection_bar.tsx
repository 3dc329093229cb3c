import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import { isCallError } from '@/api/problem';
import type { Import } from '@/api/schema';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { t } from '@/strings/imports';
import styles from './imports.module.css';

type Action = 'pause' | 'resume' | 'cancel' | 'retry';

// Which of the marked imports an action makes sense for: the button counts only those.
const fits: Record<Action, (one: Import) => boolean> = {
  pause: (one) => one.status === 'running' || one.status === 'queued',
  resume: (one) => one.status === 'paused',
  cancel: (one) => one.state !== 'finished',
  retry: (one) => one.status === 'failed' || one.status === 'cancelled',
};

interface Props {
  chosen: Import[];
  clear: () => void;
  /** what the server refused, by import; it is shown in that row */
  onProblems: (problems: ReadonlyMap<string, string>) => void;
}

/** What can be done with the marked imports, each button with its number. */
export function SelectionBar({ chosen, clear, onProblems }: Props) {
  const client = useQueryClient();
  const may = useMay();
  const [working, setWorking] = useState<Action | null>(null);
  const run = async (action: Action, list: Import[]) => {
    if (action === 'cancel' && !(await confirm({ title: t('cancelTitle', { count: list.length }), body: t('cancelBody'), keep: t('keepRunning'), action: t('cancelDo', { count: list.length }), danger: true }))) return;
    setWorking(action);
    const problems = new Map<string, string>();
    for (const one of list) {
      try {
        await call(`imports.${action}`, { path: { import: one.job_id }, body: {} as never });
      } catch (error) {
        problems.set(one.job_id, isCallError(error) ? error.problem.detail : String(error));
      }
    }
    setWorking(null);
    onProblems(problems);
    await client.invalidateQueries({ queryKey: ['imports.list'] });
  };
  return (
    <div className={styles.selection} role="toolbar" aria-label={t('selected', { count: chosen.length })}>
      <b className="num">{t('selected', { count: chosen.length })}</b>
      {(Object.keys(fits) as Action[]).map((action) => {
        const list = chosen.filter(fits[action]);
        if (list.length === 0 || !may(`imports.${action}`)) return null;
        return <Button key={action} small pending={working === action} look={action === 'cancel' ? 'danger' : undefined} onClick={() => void run(action, list)}>{t(action)} {list.length}</Button>;
      })}
      <button type="button" className="linkBtn small right" onClick={clear}>{t('unselect')}</button>
    </div>
  );
}
