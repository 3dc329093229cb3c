import { queryClient } from '@/api/query_client';
import { sessionBegun } from '@/api/session';
import { navigate, useSearch } from '@/router/router';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/shell';
import { Card } from './card';
import { SessionForm } from './session_form';

/** After signing in the page that was asked for opens; only addresses of this dashboard count. */
const ownAddress = (to: string | null): string => (to && /^\/(?![/\\])/.test(to) ? to : '/');

export default function SignIn() {
  const [search] = useSearch();
  useCrumbs([{ label: t('signIn') }]);
  const go = () => {
    sessionBegun();
    queryClient.clear();
    navigate(ownAddress(search.get('to')), { replace: true });
  };
  return <Card title={t('signInTitle')}><SessionForm onSignedIn={go} /></Card>;
}
