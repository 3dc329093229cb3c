import { call, type CallName } from '@/api/client';
import { useMay } from '@/api/me';
import type { DeadLetterGroup } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { MoreMenu } from '@/components/copy_menu';
import { Scroll } from '@/components/scroll';
import { Answered, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { t } from '@/strings/ops';
import { GroupLink } from './group_link';
import styles from './ops.module.css';

/** What a retried or deleted dead letter changes. */
export const touched: CallName[] = ['dead_letters.groups', 'dead_letters.list', 'overview.show', 'tasks.list'];

function Actions({ id, kind }: { id: number; kind: string }) {
  const may = useMay();
  const action = useAction();
  const task = String(id);
  const retry = () => action.run('retry', async () => { await call('dead_letters.retry', { path: { task } }); return t('retriedAll', { count: 1 }); }, touched);
  const remove = async () => {
    if (!(await confirm({ title: t('deleteTitle', { id: task }), body: t('deleteBody', { kind }), keep: t('deleteKeep'), action: t('deleteDo'), danger: true }))) return;
    await action.run('delete', async () => { await call('dead_letters.delete', { path: { task } }); return t('deleted', { id: task }); }, touched);
  };
  return (
    <span className="row" style={{ justifyContent: 'flex-end' }}>
      {action.error ? <ProblemView error={action.error} compact /> : null}
      {may('dead_letters.retry') ? <Button small pending={action.working === 'retry'} onClick={() => void retry()}>{t('retry')}</Button> : null}
      {may('dead_letters.delete') ? <Button small look="danger" pending={action.working === 'delete'} onClick={() => void remove()}>{t('delete')}</Button> : null}
      <MoreMenu small command={`lade queue retry ${task}`} request={{ method: 'POST', path: `/api/v1/queue/dead-letter/${task}/retry` }} />
    </span>
  );
}

/** The newest dead letters of a group, one by one. */
export function Letters({ group }: { group: DeadLetterGroup }) {
  const query = useCall('dead_letters.list', { query: { limit: 1000 } });
  return (
    <div className={styles.letters}>
      <Answered query={query} compact>
        {(data) => {
          const mine = data.items.filter((letter) => group.tasks.includes(letter.task_id));
          return (
            <Scroll label={t('tasks')}>
              <table>
                <thead><tr><th className="n">{t('tasks')}</th><th>{t('group')}</th><th className="n">{t('attempts')}</th><th className="n">{t('died')}</th><th>{t('payload')}</th><th /></tr></thead>
                <tbody>
                  {mine.map((letter) => (
                    <tr key={letter.task_id}>
                      <td className="n"><Link to={`/ops/tasks/${letter.task_id}`}>{letter.task_id}</Link></td>
                      <td><GroupLink group={letter.group} /></td>
                      <td className="n">{formatNumber(letter.attempts)}</td>
                      <td className="n">{letter.died_at ? <Age time={letter.died_at} suffix=" ago" /> : null}</td>
                      <td className="mono cut" style={{ maxWidth: 360 }} title={letter.payload}>{letter.payload}</td>
                      <td><Actions id={letter.task_id} kind={letter.kind} /></td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {group.count > mine.length ? <p className="pad small faint">{t('newest', { shown: mine.length, count: group.count })}</p> : null}
            </Scroll>
          );
        }}
      </Answered>
    </div>
  );
}
