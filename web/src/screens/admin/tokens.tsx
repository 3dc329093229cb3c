import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Token } from '@/api/schema';
import { serverNow } from '@/api/server_time';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { Scroll } from '@/components/scroll';
import { OnceDialog } from '@/components/shown_once';
import { Answered, Empty, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatDay } from '@/format/times';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/admin';
import { scopes } from './scopes';
import styles from './admin.module.css';

function NewToken({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const [name, setName] = useState('');
  const [days, setDays] = useState('365');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['imports:read']));
  const [secret, setSecret] = useState<string | null>(null);
  const toggle = (scope: string, on: boolean) => setChosen(new Set(on ? [...chosen, scope] : [...chosen].filter((one) => one !== scope)));
  const create = () => action.run('create', async () => setSecret((await call('tokens.create', { body: { name: name.trim(), scopes: [...chosen], ...(days ? { days: Number(days) } : {}) } })).token), ['tokens.list']);
  return (
    <OnceDialog title={t('newToken')} secret={secret} note={t('tokenOnce')} onClose={onClose}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); if (chosen.size > 0) void create(); }}>
        <TextInput label={t('tokenName')} required data-autofocus value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
          <legend className="small dim">{t('scopes')}</legend>
          <div className={styles.scopes}>{scopes.map((scope) => <Checkbox key={scope} label={scope === '*' ? t('scope_all') : scope} checked={chosen.has(scope)} onChange={(event) => toggle(scope, event.currentTarget.checked)} />)}</div>
        </fieldset>
        <TextInput label={t('days')} type="number" min={1} max={3650} value={days} onChange={(event) => setDays(event.currentTarget.value)} />
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <div><Button type="submit" look="main" pending={action.working !== null} disabledBecause={chosen.size === 0 && t('noScope')}>{t('create')}</Button></div>
      </form>
    </OnceDialog>
  );
}

function Row({ token }: { token: Token }) {
  const may = useMay();
  const action = useAction();
  const over = token.revoked_at ? t('revoked') : token.expires_at && Date.parse(token.expires_at) < serverNow() ? t('expired') : null;
  const revoke = async () => {
    if (!(await confirm({ title: t('revokeTitle', { name: token.name }), body: t('revokeBody'), keep: t('revokeKeep'), action: t('revokeDo'), danger: true }))) return;
    await action.run('revoke', async () => { await call('tokens.revoke', { path: { token: token.token_id } }); return t('revokedToast', { name: token.name }); }, ['tokens.list']);
  };
  return (
    <tr>
      <td><b>{token.name}</b>{action.error ? <ProblemView error={action.error} compact /> : null}</td>
      <td>{token.user}</td>
      <td className="mono">{token.scopes.join(' ')}</td>
      <td className="n">{token.created_at ? <Age time={token.created_at} suffix=" ago" /> : null}</td>
      <td className="n">{token.expires_at ? formatDay(token.expires_at) : t('never')}</td>
      <td className="n">{token.last_used_at ? <Age time={token.last_used_at} suffix=" ago" /> : t('never')}</td>
      <td className="n">{over ? <span className="faint">{over}</span> : may('tokens.revoke') ? <Button small look="danger" pending={action.working !== null} onClick={() => void revoke()}>{t('revoke')}</Button> : null}</td>
    </tr>
  );
}

/** With what programs use the API. */
export default function Tokens() {
  useCrumbs([{ label: t('administration') }, { label: t('tokens') }]);
  const may = useMay();
  const [making, setMaking] = useState(false);
  const query = useCall('tokens.list', {});
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('tokens')}</h1>{may('tokens.create') ? <span className="right"><Button onClick={() => setMaking(true)}>{t('newToken')}</Button></span> : null}</div>
      <Answered query={query} compact>
        {(data) => (
          <section className="card">
            {data.items.length === 0 ? <Empty>{t('tokensEmpty')}</Empty> : (
              <Scroll label={t('tokens')}>
                <table>
                  <thead><tr><th>{t('name')}</th><th>{t('owner')}</th><th>{t('scopes')}</th><th className="n">{t('created')}</th><th className="n">{t('expires')}</th><th className="n">{t('lastUsed')}</th><th><span className="hidden">{t('revoke')}</span></th></tr></thead>
                  <tbody>{data.items.map((token) => <Row key={token.token_id} token={token} />)}</tbody>
                </table>
              </Scroll>
            )}
          </section>
        )}
      </Answered>
      {making ? <NewToken onClose={() => setMaking(false)} /> : null}
    </div>
  );
}
