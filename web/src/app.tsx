import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, lazy, useEffect, useSyncExternalStore } from 'react';
import { isCallError } from '@/api/problem';
import { useMe, type Me } from '@/api/me';
import { useCall } from '@/api/use_call';
import { queryClient } from '@/api/query_client';
import { hasSessionEnded, onSession, sessionBegun } from '@/api/session';
import { ConfirmHost } from '@/components/confirm';
import { Loading, NotFound, ProblemView } from '@/components/states';
import { matchPath, navigate, usePath } from '@/router/router';
import { routes } from '@/router/routes';
import { Shell } from '@/shell/shell';
import { usePreferences } from '@/theme/preferences';
import { useColourScheme } from '@/theme/colour_scheme';
import { theme } from '@/theme/theme';

const SignIn = lazy(() => import('@/screens/sign_in'));
const Welcome = lazy(() => import('@/screens/sign_in/welcome'));
const SessionEnded = lazy(() => import('@/screens/sign_in/session_ended'));

function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

/** Nobody was signed in when the page was opened: nothing is on it that would have to stay. */
function ToSignIn({ path }: { path: string }) {
  useEffect(sessionBegun, []);
  const to = path === '/' ? '' : `?to=${encodeURIComponent(path + window.location.search)}`;
  return <Redirect to={`/sign-in${to}`} />;
}

/** Where the day begins: with imports; for those who only review, with names that wait for them, if there are any. */
function Start({ me }: { me: Me }) {
  const reviews = me.role === 'reviewer' && me.may.includes('review.list');
  const open = useCall('review.list', { query: { limit: 1 } }, { enabled: reviews });
  if (reviews && open.isPending) return <div className="page"><Loading /></div>;
  return <Redirect to={reviews && open.data && open.data.items.length > 0 ? '/review' : '/imports'} />;
}

function Page({ me, path }: { me: Me; path: string }) {
  if (path === '/') return <Start me={me} />;
  for (const route of routes) {
    const parameters = matchPath(route.pattern, path);
    if (!parameters) continue;
    if (route.needs && !me.may.includes(route.needs)) return <NotFound />;
    return <route.screen parameters={parameters} />;
  }
  return <NotFound />;
}

function SignedIn({ path }: { path: string }) {
  const me = useMe();
  const ended = useSyncExternalStore(onSession, hasSessionEnded);
  if (me.data) {
    return (
      <>
        <Shell me={me.data}><Page me={me.data} path={path} /></Shell>
        {ended ? <Suspense fallback={null}><SessionEnded user={me.data.user} /></Suspense> : null}
      </>
    );
  }
  if (isCallError(me.error) && me.error.status === 401) return <ToSignIn path={path} />;
  return <div className="page">{me.error ? <ProblemView error={me.error} retry={() => void me.refetch()} /> : <Loading />}</div>;
}

function Pages() {
  const path = usePath();
  const welcome = matchPath('/welcome/:token', path);
  if (welcome) return <Welcome parameters={welcome} />;
  if (path === '/sign-in') return <SignIn />;
  return <SignedIn path={path} />;
}

const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';

export function App() {
  const { locale } = usePreferences();
  const scheme = useColourScheme();
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withStaticClasses withGlobalClasses={false} getStyleNonce={nonce}>
      <QueryClientProvider client={queryClient}>
        {/* another locale draws every number anew */}
        <Suspense fallback={null} key={locale}><Pages /></Suspense>
        <ConfirmHost />
        <Notifications position="bottom-right" limit={3} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
