import { Modal } from '@mantine/core';
import { queryClient } from '@/api/query_client';
import { sessionBegun } from '@/api/session';
import { navigate } from '@/router/router';
import { t } from '@/strings/shell';
import { SessionForm } from './session_form';

/** Over the page, which stays with its input; after signing in it goes on. */
export default function SessionEnded({ user }: { user: string }) {
  const goOn = () => {
    sessionBegun();
    void queryClient.invalidateQueries();
  };
  const leave = () => {
    sessionBegun();
    queryClient.clear();
    navigate('/sign-in');
  };
  return (
    <Modal opened onClose={() => undefined} withCloseButton={false} closeOnEscape={false} closeOnClickOutside={false} title={t('ended')}>
      <div className="stack">
        <p className="dim">{t('endedText')}</p>
        <SessionForm email={user} onSignedIn={goOn}><button type="button" className="linkBtn" onClick={leave}>{t('somebodyElse')}</button></SessionForm>
      </div>
    </Modal>
  );
}
