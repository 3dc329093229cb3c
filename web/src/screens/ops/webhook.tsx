import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Delivery } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { usePages } from '@/api/use_pages';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { Scroll } from '@/components/scroll';
import { Segmented } from '@/components/segmented';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatNumber } from '@/format/numbers';
import { navigate, useSearch } from '@/router/router';
import type { ScreenProps } from '@/router/routes';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';
import { GroupLink } from './group_link';

const hues = { delivered: 'green', pending: 'blue', failed: 'red' } as const;

function Row({ hook, one }: { hook: string; one: Delivery }) {
  const may = useMay();
  const action = useAction();
  const again = () => action.run('again', async () => { await call('webhooks.retry', { path: { webhook: hook, delivery: one.delivery_id } }); return t('redelivered'); }, ['webhooks.deliveries']);
  return (
    <tr>
      <td className={hues[one.status]}>{t(one.status)}</td>
      <td className="mono">{one.event}</td>
      <td><GroupLink group={one.job_id} /></td>
      <td className="n">{formatNumber(one.attempts)}</td>
      <td>{one.last_status ?? (one.last_error ? t('noAnswer') : '')} <span className="red small cut" title={one.last_error ?? ''}>{one.last_error}</span></td>
      <td className="n"><Age time={one.created_at} suffix=" ago" /></td>
      <td className="n">{action.error ? <ProblemView error={action.error} compact /> : null}{may('webhooks.retry') && one.status !== 'pending' ? <Button small pending={action.working !== null} onClick={() => void again()}>{t('redeliver')}</Button> : null}</td>
    </tr>
  );
}

function Actions({ id, url, active }: { id: string; url: string; active: boolean }) {
  const may = useMay();
  const action = useAction();
  const path = { webhook: id };
  const remove = async () => {
    if (!(await confirm({ title: t('deleteHookTitle'), body: t('deleteHookBody', { url }), keep: t('deleteKeep'), action: t('deleteHookDo'), danger: true }))) return;
    if (await action.run('delete', async () => { await call('webhooks.delete', { path }); }, ['webhooks.list'])) navigate('/ops/webhooks');
  };
  return (
    <span className="row right wrap">
      {action.error ? <ProblemView error={action.error} compact /> : null}
      {may('webhooks.test') ? <Button pending={action.working === 'test'} onClick={() => void action.run('test', async () => { await call('webhooks.test', { path }); return t('tested'); }, ['webhooks.deliveries'])}>{t('test')}</Button> : null}
      {may('webhooks.change') ? <Button pending={action.working === 'active'} onClick={() => void action.run('active', async () => { await call('webhooks.change', { path, body: { active: !active } }); return t(active ? 'hookOff' : 'hookOn'); }, ['webhooks.show', 'webhooks.list'])}>{t(active ? 'turnOff' : 'turnOn')}</Button> : null}
      {may('webhooks.delete') ? <Button look="danger" pending={action.working === 'delete'} onClick={() => void remove()}>{t('delete')}</Button> : null}
    </span>
  );
}

/** One webhook and what was sent to it. */
export default function WebhookPage({ parameters }: ScreenProps) {
  const id = parameters.webhook ?? '';
  const [search, change] = useSearch();
  const status = search.get('status') ?? '';
  const hook = useCall('webhooks.show', { path: { webhook: id } });
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('webhooks'), to: '/ops/webhooks' }, { label: hook.data?.url ?? '' }]);
  const { query, items, more, loadingMore } = usePages('webhooks.deliveries', { path: { webhook: id }, query: { status: status || undefined, limit: 100 } }, { every: 5_000 });
  return (
    <Answered query={hook}>
      {(data) => (
        <div className="page">
          <div className="pageHead">
            <div className="grow"><h1 className="cut">{data.url}</h1><p><span className={data.active ? 'green' : 'faint'}>{t(data.active ? 'active' : 'inactive')}</span> · <span className="mono">{data.events.join(' ') || t('allEvents')}</span></p></div>
            <Actions id={id} url={data.url} active={data.active} />
          </div>
          <section className="card" aria-label={t('deliveries')}>
            <header><h2>{t('deliveries')}</h2><span className="right"><Segmented label={t('status')} value={status} options={['', 'pending', 'delivered', 'failed'].map((value) => ({ value, label: value ? t(value as 'failed') : t('all') }))} onChange={(value) => change({ status: value })} /></span></header>
            <Answered query={query} compact>
              {() => items.length === 0 ? <Empty>{t('deliveriesEmpty')}</Empty> : (
                <Scroll label={t('deliveries')}>
                  <table>
                    <thead><tr><th>{t('state')}</th><th>{t('event')}</th><th>{t('group')}</th><th className="n">{t('attempts')}</th><th>{t('answer')}</th><th className="n">{t('created')}</th><th><span className="hidden">{t('redeliver')}</span></th></tr></thead>
                    <tbody>{items.map((one) => <Row key={one.delivery_id} hook={id} one={one} />)}</tbody>
                  </table>
                </Scroll>
              )}
            </Answered>
          </section>
          {more ? <div><Button small pending={loadingMore} onClick={more}>{t('more')}</Button></div> : null}
        </div>
      )}
    </Answered>
  );
}
