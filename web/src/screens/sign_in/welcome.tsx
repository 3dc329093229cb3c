import { PasswordInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { call } from '@/api/client';
import { isCallError } from '@/api/problem';
import { queryClient } from '@/api/query_client';
import { sessionBegun } from '@/api/session';
import { Button } from '@/components/button';
import { ProblemView } from '@/components/states';
import { Link } from '@/router/link';
import { navigate } from '@/router/router';
import type { ScreenProps } from '@/router/routes';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/shell';
import { Card } from './card';

const kShortest = 12;

/** The first start, an invitation, a forgotten password: a link that works once lets somebody choose a password. */
export default function Welcome({ parameters }: ScreenProps) {
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const [tried, setTried] = useState(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useCrumbs([{ label: t('welcomeTitle') }]);
  const tooShort = password.length < kShortest;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (tooShort || password !== again) return;
    setPending(true);
    setError(null);
    try {
      await call('sessions.use_link', { body: { link: parameters.token ?? '', password } });
      sessionBegun();
      queryClient.clear();
      navigate('/', { replace: true });
    } catch (problem) {
      setError(problem);
    } finally {
      setPending(false);
    }
  };
  const used = isCallError(error) && error.code === 'link_invalid';
  return (
    <Card title={t('welcomeTitle')}>
      <p className="dim">{t('welcomeText', { least: kShortest })}</p>
      <form className="stack" onSubmit={(event) => void submit(event)}>
        <PasswordInput label={t('newPassword')} autoComplete="new-password" autoFocus value={password} onChange={(event) => setPassword(event.currentTarget.value)} error={tried && tooShort ? t('tooShort', { least: kShortest }) : null} visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }} />
        <PasswordInput label={t('again')} autoComplete="new-password" value={again} onChange={(event) => setAgain(event.currentTarget.value)} error={tried && !tooShort && password !== again ? t('differ') : null} visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }} />
        {used ? <p className="red" role="alert">{t('linkBad')} <Link to="/sign-in">{t('signIn')}</Link></p> : error ? <ProblemView error={error} compact /> : null}
        <Button type="submit" look="main" pending={pending}>{t('setPassword')}</Button>
      </form>
    </Card>
  );
}
