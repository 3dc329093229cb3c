import { PasswordInput, TextInput } from '@mantine/core';
import { useState, type FormEvent, type ReactNode } from 'react';
import { call } from '@/api/client';
import { isCallError } from '@/api/problem';
import { Button } from '@/components/button';
import { ProblemView } from '@/components/states';
import { t } from '@/strings/shell';

interface Props {
  /** who it has to be; then only the password is asked for */
  email?: string | undefined;
  onSignedIn: () => void;
  children?: ReactNode;
}

function wordsFor(error: unknown): string | null {
  if (!isCallError(error)) return null;
  if (error.code === 'login_failed') return t('wrong');
  if (error.code === 'login_locked') return t('locked');
  return null;
}

/** E-mail address and password; an unknown name and a wrong password read the same. */
export function SessionForm({ email: fixed, onSignedIn, children }: Props) {
  const [email, setEmail] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [pending, setPending] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setError(null);
    try {
      await call('sessions.begin', { body: { email: email.trim(), password } });
      onSignedIn();
    } catch (problem) {
      setError(problem);
    } finally {
      setPending(false);
    }
  };
  const words = wordsFor(error);
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <TextInput label={t('email')} type="email" autoComplete="username" required withAsterisk={false} value={email} readOnly={fixed !== undefined} onChange={(event) => setEmail(event.currentTarget.value)} {...(fixed === undefined ? { 'data-autofocus': true, autoFocus: true } : {})} />
      <PasswordInput label={t('password')} autoComplete="current-password" required withAsterisk={false} value={password} onChange={(event) => setPassword(event.currentTarget.value)} visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }} {...(fixed === undefined ? {} : { 'data-autofocus': true })} />
      {words ? <p className="red" role="alert">{words}</p> : error ? <ProblemView error={error} compact /> : null}
      <div className="row">
        {children}
        <Button type="submit" look="main" className="right" pending={pending}>{t('signIn')}</Button>
      </div>
    </form>
  );
}
