import { Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import type { Import, UndoPreview } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { Answered, ProblemView } from '@/components/states';
import { toast } from '@/components/toast';
import { navigate } from '@/router/router';
import { t } from '@/strings/import_page';

/** What would be taken back, one consequence a line. */
export function consequencesOf(preview: UndoPreview): string[] {
  const { version } = preview;
  return [
    ...(version ? [version.to === null ? t('undoNone') : t('undoVersion', { from: version.from ?? 0, to: version.to })] : []),
    ...(preview.removed > 0 ? [t('undoRemoved', { count: preview.removed })] : []),
    ...(preview.restored > 0 ? [t('undoRestored', { count: preview.restored })] : []),
    ...(preview.put_back > 0 ? [t('undoPutBack', { count: preview.put_back })] : []),
    ...(preview.left > 0 ? [t('undoLeft', { count: preview.left })] : []),
  ];
}

/** Undo begins with a preview that the server counts; only then there is a button, with the number on it. */
export function UndoDialog({ job, onClose }: { job: Import; onClose: () => void }) {
  const client = useQueryClient();
  const query = useCall('imports.preview_undo', { path: { import: job.job_id } }, { staleTime: 0 });
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = async () => {
    setWorking(true);
    setError(null);
    try {
      const undo = await call('imports.undo', { path: { import: job.job_id } });
      toast(t('undoStarted'));
      await client.invalidateQueries({ queryKey: keyOf('imports.show', { path: { import: job.job_id } }) });
      onClose();
      navigate(`/imports/${undo.job_id}`);
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('undoTitle')} withCloseButton={false}>
      <div className="stack">
        <Answered query={query} heights={[20, 20]} compact>
          {(preview) => {
            const count = preview.removed + preview.restored + preview.put_back;
            const lines = consequencesOf(preview);
            return (
              <>
                {lines.length > 0 ? <ul style={{ margin: 0, paddingLeft: 18 }}>{lines.map((line) => <li key={line}>{line}</li>)}</ul> : <p>{t('undoNothing')}</p>}
                {preview.left > 0 && preview.examples.length > 0 ? (
                  <details><summary className="small">{t('undoShow')}</summary><ul className="small dim" style={{ margin: 0, paddingLeft: 18 }}>{preview.examples.map((one, at) => <li key={at}>{one.message}</li>)}</ul></details>
                ) : null}
                {error ? <ProblemView error={error} compact /> : null}
                <div className="row wrap" style={{ justifyContent: 'flex-end' }}>
                  <Button onClick={onClose} data-autofocus>{t('undoKeep')}</Button>
                  {count > 0 || preview.version ? <Button look="danger" pending={working} onClick={() => void run()}>{count > 0 ? t('undoDo', { count }) : t('undo')}</Button> : null}
                </div>
              </>
            );
          }}
        </Answered>
        {query.data ? null : <div className="row" style={{ justifyContent: 'flex-end' }}><Button onClick={onClose}>{t('undoKeep')}</Button></div>}
      </div>
    </Modal>
  );
}
