import { IconPencil } from '@tabler/icons-react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Draft } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { confirm } from '@/components/confirm';
import { icon } from '@/components/icons';
import { ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { visible } from '@/format/cells';
import { Link } from '@/router/link';
import { t } from '@/strings/imports';
import { stepNumber } from '@/screens/new_import/steps';

/** What was begun and not finished, on any device. */
export function Drafts() {
  const may = useMay();
  const action = useAction();
  const drafts = useCall('drafts.list', {}, { enabled: may('drafts.list') });
  const discard = async (draft: Draft) => {
    const name = draft.name || t('draftNoFile');
    if (!(await confirm({ title: t('discardTitle'), body: t('discardBody', { name }), keep: t('keepDraft'), action: t('discardDo'), danger: true }))) return;
    await action.run(draft.draft_id, async () => call('drafts.delete', { path: { draft: draft.draft_id } }), ['drafts.list']);
  };
  const list = (drafts.data?.items ?? []).map((draft) => (
    <div key={draft.draft_id} className="strip">
      <IconPencil {...icon} />
      <span className="cut grow">{t('draft', { name: visible(draft.name) || t('draftNoFile'), step: stepNumber(draft.step) })}</span>
      <Link to={`/new/${draft.draft_id}/${draft.step}`} className="btn smallBtn">{t('continue')}</Link>
      <button type="button" className="btn smallBtn quiet" onClick={() => void discard(draft)}>{t('discard')}</button>
    </div>
  ));
  return <>{list}{action.error ? <ProblemView error={action.error} compact /> : null}</>;
}
