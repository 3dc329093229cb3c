import { IconAlertTriangle } from '@tabler/icons-react';
import type { Draft, File as StoredFile } from '@/api/schema';
import { icon } from '@/components/icons';
import { navigate } from '@/router/router';
import { t } from '@/strings/new_import';
import { FileStep } from './file_step';
import { MatchStep } from './match_step';
import { ReadStep } from './read_step';
import { stepNumber, type StepName } from './steps';
import type { DraftHandle } from './use_draft';

interface Props {
  draft: Draft;
  handle: DraftHandle;
  step: StepName;
}

/** The first three steps over one draft. The address says which is shown, the draft how far it has come. */
export function DraftSteps({ draft, handle, step }: Props) {
  const addressOf = (to: StepName) => `/new/${draft.draft_id}/${to}${window.location.search}`;
  const go = (to: StepName) => {
    if (stepNumber(to) > stepNumber(draft.step)) handle.change({ step: to });
    navigate(addressOf(to));
  };
  const onFile = (file: StoredFile) => handle.change({ file_id: file.file_id, name: file.name, file, read: {}, mapping: {}, values: {}, step: 'file' } as never);
  const shared = { saveState: handle.state, reached: draft.step, addressOf };
  return (
    <>
      {handle.state.is === 'conflict' ? (
        <div className="pad"><div className="strip amber" role="alert"><IconAlertTriangle {...icon} />{t('conflict')}<button type="button" className="btn smallBtn" onClick={() => void handle.reload()}>{t('loadAgain')}</button></div></div>
      ) : null}
      {step === 'file' || !draft.file ? (
        <FileStep
          {...shared}
          file={draft.file}
          definition={draft.definition}
          onFile={onFile}
          onOtherFile={() => handle.change({ file_id: null, file: null, name: '' } as never)}
          onDefinition={(definition) => handle.change({ definition, mapping: {}, values: {} })}
          onNext={() => go('read')}
          error={handle.state.is === 'refused' ? handle.state.error : null}
        />
      ) : step === 'read' ? (
        <ReadStep {...shared} draft={draft} file={draft.file} change={handle.change} onBack={() => go('file')} onNext={() => go('match')} />
      ) : (
        <MatchStep {...shared} draft={draft} file={draft.file} handle={handle} onBack={() => go('read')} />
      )}
    </>
  );
}
