import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { useMe } from '@/api/me';
import type { File as StoredFile } from '@/api/schema';
import { Button } from '@/components/button';
import { copyText } from '@/components/copy';
import { ProblemView } from '@/components/states';
import { shortHash, visible } from '@/format/cells';
import { formatBytes } from '@/format/numbers';
import { useSearch } from '@/router/router';
import { t } from '@/strings/new_import';
import { DefinitionSelect } from './definition_select';
import { DropZone } from './drop_zone';
import { Frame } from './frame';
import { ImportedBefore, useImportedBefore } from './imported_before';
import { refusalOf } from './refusal';
import type { StepName } from './steps';
import { UploadBar } from './upload_bar';
import type { SaveState } from './use_draft';
import { useUpload } from './use_upload';
import styles from './new_import.module.css';

interface Props {
  file: StoredFile | null;
  definition: string | null;
  saveState: SaveState | null;
  reached: StepName;
  addressOf: ((step: StepName) => string) | null;
  onFile: (file: StoredFile) => void;
  onOtherFile: () => void;
  onDefinition: (slug: string | null) => void;
  onNext: () => void;
  /** what the server said when the draft was made or saved */
  error: unknown;
}

function Stored({ file, onOther }: { file: StoredFile; onOther: () => void }) {
  return (
    <div className={`card ${styles.fileCard}`}>
      <IconFileSpreadsheet size={22} stroke={1.4} aria-hidden="true" />
      <b className="cut">{visible(file.name)}</b>
      <button type="button" className="linkBtn small" onClick={onOther}>{t('chooseOther')}</button>
      <span />
      <span className="small dim num row">
        {formatBytes(file.bytes)} · {t('sha')} <button type="button" className="linkBtn mono" title={file.sha256} onClick={() => void copyText(file.sha256)}>{shortHash(file.sha256)}</button>
      </span>
    </div>
  );
}

/** Step 1: which file, and what for. */
export function FileStep({ file, definition, saveState, reached, addressOf, onFile, onOtherFile, onDefinition, onNext, error }: Props) {
  const me = useMe();
  const limit = me.data?.max_upload_bytes ?? 0;
  const [refusal, setRefusal] = useState<string | null>(null);
  const [search, change] = useSearch();
  const upload = useUpload(onFile);
  const before = useImportedBefore(file);
  const again = search.get('again') === '1';
  const take = useCallback(
    (chosen: File) => {
      const refused = refusalOf(chosen, limit);
      setRefusal(refused);
      if (!refused) upload.start(chosen);
    },
    // The upload's start is made anew at each render and does the same.
    [limit],
  );
  const why = !file ? t('needFile') : before && !again ? t('needAgain') : null;
  return (
    <Frame step="file" title={t('title')} saveState={saveState} reached={reached} addressOf={addressOf} onNext={why ? undefined : onNext} footer={<span className="right"><Button look="main" disabledBecause={why} onClick={onNext}>{t('readFile')}</Button></span>}>
      <div className={styles.fileStep}>
        {upload.state.is !== 'idle' ? <UploadBar state={upload.state} onStop={upload.stop} onAgain={upload.start} /> : file ? <Stored file={file} onOther={onOtherFile} /> : <DropZone limit={limit} onFile={take} />}
        {refusal ? <p className="strip red" role="alert">{refusal}</p> : null}
        {error ? <ProblemView error={error} /> : null}
        {before ? <ImportedBefore before={before} again={again} onAgain={() => change({ again: again ? null : '1' })} /> : null}
        <DefinitionSelect value={definition} onChange={onDefinition} />
      </div>
    </Frame>
  );
}
