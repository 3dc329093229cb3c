import { useState } from 'react';
import { Answered, Empty } from '@/components/states';
import { navigate } from '@/router/router';
import type { ScreenProps } from '@/router/routes';
import { t } from '@/strings/new_import';
import type { File as StoredFile, NewDraft } from '@/api/schema';
import { DraftSteps } from './draft_steps';
import { FileStep } from './file_step';
import { PreviewStep } from './preview_step';
import { isStep } from './steps';
import { createDraft, useDraft } from './use_draft';
import styles from './new_import.module.css';

/** Before there is a draft: it begins with the first thing that is worth keeping. */
function Begin() {
  const [definition, setDefinition] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const begin = async (content: NewDraft) => {
    try {
      const draft = await createDraft(content);
      navigate(`/new/${draft.draft_id}/file${window.location.search}`, { replace: true });
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <FileStep
      file={null}
      definition={definition}
      saveState={null}
      reached="file"
      addressOf={null}
      onFile={(file: StoredFile) => void begin({ file_id: file.file_id, name: file.name, definition, step: 'file' })}
      onOtherFile={() => undefined}
      onDefinition={setDefinition}
      onNext={() => undefined}
      error={error}
    />
  );
}

function Continue({ id, step }: { id: string; step: string | undefined }) {
  const handle = useDraft(id);
  return (
    <Answered query={handle.query}>
      {(draft) => <DraftSteps draft={draft} handle={handle} step={isStep(step) ? step : draft.step} />}
    </Answered>
  );
}

/** From a foreign file to an approved preview, in four steps; the place is kept in the address and on the server. */
export default function NewImport({ parameters }: ScreenProps) {
  const { draft, step } = parameters;
  const steps = !draft ? <Begin /> : step === 'preview' ? <PreviewStep id={draft} /> : <Continue key={draft} id={draft} step={step} />;
  return (
    <>
      {step === 'match' ? <div className={`page ${styles.onlySmall}`}><Empty>{t('largerScreen')}</Empty></div> : null}
      {steps}
    </>
  );
}
