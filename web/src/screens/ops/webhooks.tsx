import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { Scroll } from '@/components/scroll';
import { OnceDialog } from '@/components/shown_once';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { Link } from '@/router/link';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/ops';

function NewWebhook({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const create = () =>
    action.run('create', async () => setSecret((await call('webhooks.create', { body: { url: url.trim(), events: events.split(/[\s,]+/).filter(Boolean) } })).secret), ['webhooks.list']);
  return (
    <OnceDialog title={t('newHook')} secret={secret} note={t('secretOnce')} onClose={onClose}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        <TextInput label={t('hookUrl')} type="url" required data-autofocus value={url} onChange={(event) => setUrl(event.currentTarget.value)} />
        <TextInput label={t('hookEvents')} value={events} onChange={(event) => setEvents(event.currentTarget.value)} />
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <div><Button type="submit" look="main" pending={action.working !== null}>{t('create')}</Button></div>
      </form>
    </OnceDialog>
  );
}

/** Who is told what happens. */
export default function Webhooks() {
  useCrumbs([{ label: t('operations'), to: '/ops' }, { label: t('webhooks') }]);
  const may = useMay();
  const [making, setMaking] = useState(false);
  const query = useCall('webhooks.list', {});
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('webhooks')}</h1>{may('webhooks.create') ? <span className="right"><Button onClick={() => setMaking(true)}>{t('newHook')}</Button></span> : null}</div>
      <Answered query={query} compact>
        {(data) => (
          <section className="card">
            {data.items.length === 0 ? <Empty>{t('hooksEmpty')}</Empty> : (
              <Scroll label={t('webhooks')}>
                <table>
                  <thead><tr><th>{t('url')}</th><th>{t('events')}</th><th>{t('state')}</th><th className="n">{t('created')}</th></tr></thead>
                  <tbody>
                    {data.items.map((hook) => (
                      <tr key={hook.webhook_id}>
                        <td><Link to={`/ops/webhooks/${hook.webhook_id}`}>{hook.url}</Link></td>
                        <td className="mono">{hook.events.join(' ') || t('allEvents')}</td>
                        <td className={hook.active ? 'green' : 'faint'}>{t(hook.active ? 'active' : 'inactive')}</td>
                        <td className="n"><Age time={hook.created_at} suffix=" ago" /></td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Scroll>
            )}
          </section>
        )}
      </Answered>
      {making ? <NewWebhook onClose={() => setMaking(false)} /> : null}
    </div>
  );
}
