import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { QueueFigures } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { smallIcon } from '@/components/icons';
import { Scroll } from '@/components/scroll';
import { Answered, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatNumber } from '@/format/numbers';
import { useHeld } from '@/shell/hold';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { LimitEditor } from './limit_editor';
import { oldestOf, queueState } from './tables';

// A queue that has nothing to do can be paused too; this is the one that imports use.
const idle: QueueFigures = { queue: 'default', ready: 0, held: 0, later: 0, running: 0, oldest_ready_seconds: null, paused: false, concurrency: null };

const withIdle = (queues: QueueFigures[]): QueueFigures[] => (queues.some((one) => one.queue === idle.queue) ? queues : [...queues, idle].toSorted((a, b) => a.queue.localeCompare(b.queue)));

function Row({ queue, mayChange }: { queue: QueueFigures; mayChange: boolean }) {
  const action = useAction();
  const state = queueState(queue);
  const pause = async (paused: boolean) => {
    const body = t('pauseBody', { ready: queue.ready, running: queue.running });
    if (paused && !(await confirm({ title: t('pauseTitle', { queue: queue.queue }), body, keep: t('pauseKeep'), action: t('pauseDo') }))) return;
    await action.run(
      'pause',
      async () => {
        await call('queues.change', { path: { queue: queue.queue }, body: { paused } });
        return t(paused ? 'paused' : 'resumed', { queue: queue.queue });
      },
      ['queues.figures', 'overview.show'],
    );
  };
  return (
    <tr>
      <td><b>{queue.queue}</b>{action.error ? <ProblemView error={action.error} compact /> : null}</td>
      <td className="n">{formatNumber(queue.ready)}</td>
      <td className="n">{formatNumber(queue.held)}</td>
      <td className="n">{formatNumber(queue.later)}</td>
      <td className="n">{oldestOf(queue)}</td>
      <td><LimitEditor queue={queue} mayChange={mayChange} /></td>
      <td className={state.hue}>{state.word}</td>
      <td className="n">
        {mayChange ? (
          <Button small pending={action.working !== null} icon={queue.paused ? <IconPlayerPlay {...smallIcon} /> : <IconPlayerPause {...smallIcon} />} onClick={() => void pause(!queue.paused)}>
            {t(queue.paused ? 'resume' : 'pause')}
          </Button>
        ) : null}
      </td>
    </tr>
  );
}

/** What waits where, and why; pausing and limits in their place. */
export default function Queues() {
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('queues') }]);
  const may = useMay();
  const held = useHeld();
  const query = useCall('queues.figures', {}, { refetchInterval: held ? false : 2_000 });
  const mayChange = may('queues.change');
  return (
    <div className="page">
      <h1>{t('queues')}</h1>
      {mayChange ? null : <p className="dim small">{t('onlyInstance')}</p>}
      <Answered query={query} compact>
        {(data) => (
          <section className="card">
            <Scroll label={t('queues')}>
              <table>
                <thead><tr><th>{t('queue')}</th><th className="n">{t('colReady')}</th><th className="n">{t('colHeld')}</th><th className="n">{t('colLater')}</th><th className="n">{t('colOldest')}</th><th>{t('runningLimit')}</th><th>{t('state')}</th><th><span className="hidden">{t('pause')}</span></th></tr></thead>
                <tbody>{withIdle(data.items).map((queue) => <Row key={queue.queue} queue={queue} mayChange={mayChange} />)}</tbody>
              </table>
            </Scroll>
          </section>
        )}
      </Answered>
    </div>
  );
}
