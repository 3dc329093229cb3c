import { Menu, Select } from '@mantine/core';
import { useState } from 'react';
import { call } from '@/api/client';
import { useMay, useMe } from '@/api/me';
import type { User } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { Button } from '@/components/button';
import { confirm } from '@/components/confirm';
import { MoreMenu } from '@/components/copy_menu';
import { Scroll } from '@/components/scroll';
import { OnceDialog } from '@/components/shown_once';
import { Answered, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/admin';
import { NewUser } from './new_user';
import { roles, sights, wholeLink, type Role } from './words';
import styles from './admin.module.css';

function UserActions({ user, onError }: { user: User; onError: (error: unknown) => void }) {
  const may = useMay();
  const action = useAction();
  const [link, setLink] = useState<string | null>(null);
  const turn = async (active: boolean) => {
    if (!active && !(await confirm({ title: t('turnOffTitle', { user: user.email }), body: t('turnOffBody'), keep: t('turnOffKeep'), action: t('turnOffDo'), danger: true }))) return;
    await action.run('turn', async () => { await call('users.change', { path: { user: user.user_id }, body: { active } }).catch((error: unknown) => { onError(error); throw error; }); return t(active ? 'turnedOn' : 'turnedOff', { user: user.email }); }, ['users.list']);
  };
  const renew = () => action.run('link', async () => setLink(wholeLink((await call('users.link', { path: { user: user.user_id } }).catch((error: unknown) => { onError(error); throw error; })).link)));
  return (
    <>
      <MoreMenu small command="lade users list" request={{ method: 'GET', path: '/api/v1/users' }}>
        {may('users.link') && user.active ? <Menu.Item onClick={() => void renew()}>{t('newLink')}</Menu.Item> : null}
        {may('users.change') ? <Menu.Item onClick={() => void turn(!user.active)}>{t(user.active ? 'turnOff' : 'turnOn')}</Menu.Item> : null}
      </MoreMenu>
      {link ? <OnceDialog title={t('newLink')} secret={link} note={t('linkOnce', { email: user.email })} onClose={() => setLink(null)} /> : null}
    </>
  );
}

function Row({ user, self }: { user: User; self: boolean }) {
  const may = useMay();
  const action = useAction();
  const [fault, setFault] = useState<unknown>(null);
  const change = may('users.change') && !self;
  const path = { user: user.user_id };
  const setRole = (role: Role) => action.run('role', async () => { await call('users.change', { path, body: { role } }); return t('roleChanged', { user: user.email, role: t(role) }); }, ['users.list']);
  const setSight = (sight: 'own' | 'company') => action.run('sight', async () => { await call('users.change', { path, body: { sight } }); return t('sightChanged', { user: user.email, sight: t(`sight_${sight}`) }); }, ['users.list']);
  const error = action.error ?? fault;
  const known = sights.find((one) => one === user.sight);
  return (
    <tr>
      <td><b>{user.email}</b> {self ? <span className="badge">{t('you')}</span> : null}{error ? <ProblemView error={error} compact /> : null}</td>
      <td>{user.name}</td>
      <td>{change ? <Select className={styles.pick} aria-label={`${t('role')}: ${user.email}`} title={t(`may_${user.role as Role}`)} data={roles.map((value) => ({ value, label: t(value) }))} value={user.role} allowDeselect={false} onChange={(value) => value && value !== user.role && void setRole(value as Role)} /> : t(user.role as Role)} {user.instance_admin ? <span className="badge violet">{t('instanceAdmin')}</span> : null}</td>
      <td>{change && known ? <Select className={styles.sight} aria-label={`${t('sees')}: ${user.email}`} data={sights.map((value) => ({ value, label: t(`sight_${value}`) }))} value={user.sight} allowDeselect={false} onChange={(value) => value && value !== user.sight && void setSight(value as 'own')} /> : t(`sight_${user.sight as 'project'}`)}</td>
      <td className={user.active ? (user.has_password ? 'green' : 'amber') : 'faint'}>{t(user.active ? (user.has_password ? 'active' : 'invited') : 'inactive')}</td>
      <td className="n">{user.last_login_at ? <Age time={user.last_login_at} suffix=" ago" /> : t('never')}</td>
      <td className="n">{self ? null : <UserActions user={user} onError={setFault} />}</td>
    </tr>
  );
}

/** Who may do what. */
export default function Users() {
  useCrumbs([{ label: t('administration') }, { label: t('users') }]);
  const me = useMe();
  const may = useMay();
  const [making, setMaking] = useState(false);
  const query = useCall('users.list', {});
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('users')}</h1>{may('users.create') ? <span className="right"><Button onClick={() => setMaking(true)}>{t('newUser')}</Button></span> : null}</div>
      <Answered query={query} compact>
        {(data) => (
          <section className="card">
            <Scroll label={t('users')}>
              <table>
                <thead><tr><th>{t('email')}</th><th>{t('name')}</th><th>{t('role')}</th><th>{t('sees')}</th><th>{t('state')}</th><th className="n">{t('lastLogin')}</th><th /></tr></thead>
                <tbody>{data.items.map((user) => <Row key={user.user_id} user={user} self={user.email === me.data?.user} />)}</tbody>
              </table>
            </Scroll>
          </section>
        )}
      </Answered>
      <section className="card" aria-label={t('rolesTitle')}>
        <header><h2>{t('rolesTitle')}</h2></header>
        <dl className={styles.roles}>{roles.map((role) => <div key={role} style={{ display: 'contents' }}><dt>{t(role)}</dt><dd>{t(`may_${role}`)}</dd></div>)}</dl>
      </section>
      {making ? <NewUser onClose={() => setMaking(false)} /> : null}
    </div>
  );
}
