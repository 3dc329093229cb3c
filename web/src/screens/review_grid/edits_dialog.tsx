import { Modal } from '@mantine/core';
import { useState } from 'react';
import { Button } from '@/components/button';
import { ProblemView } from '@/components/states';
import { visible } from '@/format/cells';
import { t } from '@/strings/grid';
import type { Edits } from './use_edits';
import styles from './grid.module.css';

/** Edits made on this page, newest first, each with its way back; and where all of them are seen. */
export function EditsDialog({ edits, onClose, onShow }: { edits: Edits; onClose: () => void; onShow: () => void }) {
  const [error, setError] = useState<unknown>(null);
  const list = edits.done.toReversed();
  const undo = (id: number) => {
    setError(null);
    edits.undo(id).catch(setError);
  };
  return (
    <Modal opened onClose={onClose} title={t('editList')} withCloseButton={false}>
      <div className="stack">
        {list.length === 0 ? <p className="dim">{t('noEdits')}</p> : null}
        {list.map((edit) => (
          <div key={edit.id} className="row small">
            <span className="grow" style={{ overflowWrap: 'anywhere' }}><span className="faint num">{t('panel', { row: edit.row })}, {edit.source}</span> <span className={styles.was}>{visible(edit.before)}</span> <b>{visible(edit.after) || t('empty')}</b></span>
            <Button small pending={edits.undoing.has(edit.id)} onClick={() => undo(edit.id)}>{t('undoEdit')}</Button>
          </div>
        ))}
        {error ? <ProblemView error={error} compact /> : null}
        <div className="row wrap" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={onShow}>{t('showEdited')}</Button>
          <Button look="main" onClick={onClose}>{t('goBack')}</Button>
        </div>
      </div>
    </Modal>
  );
}
