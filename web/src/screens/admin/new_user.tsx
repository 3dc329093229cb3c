import { Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '@/api/client';
import type { NewUser as Wanted } from '@/api/schema';
import { Button } from '@/components/button';
import { OnceDialog } from '@/components/shown_once';
import { ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { t } from '@/strings/admin';
import { roles, sights, wholeLink } from './words';

/** Invites somebody: the link to choose a password is shown once. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<NonNullable<Wanted['role']>>('operator');
  const [sight, setSight] = useState<'own' | 'company'>('company');
  const [link, setLink] = useState<string | null>(null);
  const invite = () => action.run('invite', async () => {
    const made = await call('users.create', { body: { email: email.trim(), role, sight, ...(name.trim() ? { name: name.trim() } : {}) } });
    setLink(wholeLink(made.link ?? ''));
  }, ['users.list']);
  return (
    <OnceDialog title={t('newUser')} secret={link} note={t('linkOnce', { email })} onClose={onClose}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); void invite(); }}>
        <TextInput label={t('email')} type="email" required data-autofocus value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
        <TextInput label={t('name')} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Select label={t('role')} description={t(`may_${role}`)} data={roles.map((value) => ({ value, label: t(value) }))} value={role} allowDeselect={false} onChange={(value) => value && setRole(value as typeof role)} />
        <Select label={t('sees')} data={sights.map((value) => ({ value, label: t(`sight_${value}`) }))} value={sight} allowDeselect={false} onChange={(value) => value && setSight(value as typeof sight)} />
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <div><Button type="submit" look="main" pending={action.working !== null}>{t('invite')}</Button></div>
      </form>
    </OnceDialog>
  );
}
