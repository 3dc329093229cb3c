import { call } from '@/api/client';
import { useMay } from '@/api/me';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { Scroll } from '@/components/scroll';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatDuration } from '@/format/times';
import { Link } from '@/router/link';
import { useHeld } from '@/shell/hold';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { nodeHue, nodeState, type NodeFigures } from './node_state';
import { Slots } from './slots';
import { beatOf, nodesSummary } from './tables';
import styles from './ops.module.css';

function Row({ node, mayDrain }: { node: NodeFigures; mayDrain: boolean }) {
  const action = useAction();
  const state = nodeState(node);
  const drain = async (wanted: boolean) => {
    const body = t('drainBody', { running: node.running });
    if (wanted && !(await confirm({ title: t('drainTitle', { node: node.name }), body, keep: t('drainKeep'), action: t('drainDo') }))) return;
    await action.run(
      'drain',
      async () => {
        await call('nodes.drain', { path: { node: node.boot }, body: { drain: wanted } });
        return t(wanted ? 'drained' : 'undrained', { node: node.name });
      },
      ['overview.show', 'nodes.list'],
    );
  };
  return (
    <tr>
      <td><b>{node.name}</b> <span className="mono faint">{node.boot.slice(0, 8)}</span>{action.error ? <ProblemView error={action.error} compact /> : null}</td>
      <td className={nodeHue[state]}>{t(state)}</td>
      <td className={`n ${state === 'silent' || state === 'dead' ? nodeHue[state] : ''}`}>{beatOf(node)}</td>
      <td><Slots running={node.running} limit={node.slots} hue={state === 'live' ? 'blue' : nodeHue[state]} /></td>
      <td>
        <div className={styles.tasks}>
          {(node.tasks ?? []).length === 0 ? <span className="faint">{t('noTasks')}</span> : null}
          {(node.tasks ?? []).map((task) => <span key={task.task_id}><Link to={`/ops/tasks/${task.task_id}`}>{t('taskOf', { kind: task.kind, id: String(task.task_id) })}</Link> <span className="faint num">{formatDuration(task.elapsed_ms)}</span></span>)}
        </div>
      </td>
      <td>{node.started_at ? <Age time={node.started_at} suffix=" ago" /> : null}</td>
      <td className="n">{mayDrain ? <Button small pending={action.working !== null} onClick={() => void drain(!node.draining)}>{t(node.draining ? 'takeAgain' : 'drain')}</Button> : null}</td>
    </tr>
  );
}

/** Who works, on what, since when they were last heard of. */
export default function Nodes() {
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('nodes') }]);
  const may = useMay();
  const held = useHeld();
  const query = useCall('overview.show', {}, { refetchInterval: held ? false : 2_000 });
  const mayDrain = may('nodes.drain');
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('nodes')}</h1>{query.data ? <p>{nodesSummary(query.data.nodes)}</p> : null}</div>
      {mayDrain ? null : <p className="dim small">{t('onlyInstance')}</p>}
      <Answered query={query} compact>
        {({ nodes }) => (
          <section className="card">
            {nodes.length === 0 ? <Empty>{t('nodesEmpty')}</Empty> : (
              <Scroll label={t('nodes')}>
                <table>
                  <thead><tr><th>{t('node')}</th><th>{t('state')}</th><th className="n">{t('beat')}</th><th>{t('slots')}</th><th>{t('nodeTasks')}</th><th>{t('started')}</th><th><span className="hidden">{t('drain')}</span></th></tr></thead>
                  <tbody>{nodes.map((node) => <Row key={node.boot} node={node} mayDrain={mayDrain} />)}</tbody>
                </table>
              </Scroll>
            )}
          </section>
        )}
      </Answered>
    </div>
  );
}
