import type { QueueFigures } from '@/api/schema';
import { Empty } from '@/components/states';
import { Scroll } from '@/components/scroll';
import { formatNumber } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/ops';
import { nodeHue, nodeState, type NodeFigures } from './node_state';
import { Slots } from './slots';
import styles from './ops.module.css';

export function queueState(queue: QueueFigures): { word: string; hue: string } {
  if (queue.paused) return { word: t('statePaused'), hue: 'violet' };
  if (queue.held > 0 && queue.ready === 0) return { word: t('stateHeld'), hue: 'amber' };
  if (queue.running > 0 || queue.ready > 0) return { word: t('stateRunning'), hue: 'green' };
  return { word: t('stateIdle'), hue: 'faint' };
}

export const oldestOf = (queue: QueueFigures): string => (queue.oldest_ready_seconds === null ? '–' : formatDuration(queue.oldest_ready_seconds * 1000));

export function QueuesCard({ queues }: { queues: QueueFigures[] }) {
  return (
    <section className="card" aria-label={t('queues')}>
      <header><h2>{t('queues')}</h2><Link to="/ops/queues" className="right small">{t('allQueues')}</Link></header>
      {queues.length === 0 ? <Empty>{t('queuesEmpty')}</Empty> : (
        <Scroll label={t('queues')}>
          <table>
            <thead><tr><th>{t('queue')}</th><th className="n">{t('colReady')}</th><th className="n">{t('colHeld')}</th><th className="n">{t('colLater')}</th><th className="n">{t('colOldest')}</th><th>{t('runningLimit')}</th><th>{t('state')}</th></tr></thead>
            <tbody>
              {queues.map((queue) => {
                const state = queueState(queue);
                return (
                  <tr key={queue.queue}>
                    <td><b>{queue.queue}</b></td>
                    <td className="n">{formatNumber(queue.ready)}</td><td className="n">{formatNumber(queue.held)}</td><td className="n">{formatNumber(queue.later)}</td>
                    <td className="n">{oldestOf(queue)}</td>
                    <td><Slots running={queue.running} limit={queue.concurrency} hue={queue.held > 0 ? 'amber' : 'blue'} /></td>
                    <td className={state.hue}>{state.word}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}

/** Ages of beats are compared: always in seconds below a minute. */
export function beatOf(node: NodeFigures): string {
  if (node.beat_age_seconds == null) return '–';
  return node.beat_age_seconds < 10 ? `${formatNumber(Math.round(node.beat_age_seconds * 10) / 10, 1)} s` : formatDuration(node.beat_age_seconds * 1000);
}

export function nodesSummary(nodes: NodeFigures[]): string {
  const states = nodes.map(nodeState);
  const count = (...wanted: string[]) => states.filter((state) => wanted.includes(state)).length;
  return t('nodesSummary', { live: count('live'), silent: count('silent', 'dead'), draining: count('draining') });
}

export function NodesCard({ nodes }: { nodes: NodeFigures[] }) {
  return (
    <section className={`card ${styles.nodes}`} aria-label={t('nodes')}>
      <header><h2>{t('nodes')}</h2><span className="faint hideSmall">{nodesSummary(nodes)}</span><Link to="/ops/nodes" className="right small">{t('allNodes')}</Link></header>
      {nodes.length === 0 ? <Empty>{t('nodesEmpty')}</Empty> : (
        <Scroll label={t('nodes')}>
          <table>
            <thead><tr><th>{t('node')}</th><th>{t('state')}</th><th className="n">{t('beat')}</th><th>{t('slots')}</th></tr></thead>
            <tbody>
              {nodes.map((node) => {
                const state = nodeState(node);
                return (
                  <tr key={node.boot}>
                    <td><b>{node.name}</b></td>
                    <td className={nodeHue[state]}>{t(state)}</td>
                    <td className={`n ${state === 'silent' || state === 'dead' ? nodeHue[state] : ''}`}>{beatOf(node)}</td>
                    <td><Slots running={node.running} limit={node.slots} hue={state === 'live' ? 'blue' : nodeHue[state]} /></td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
