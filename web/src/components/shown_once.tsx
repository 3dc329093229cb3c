import { Modal } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '@/strings/ops';
import { Button } from './button';
import { copyText } from './copy';
import { smallIcon } from './icons';

/** A secret that the server does not show again: it stays until the person says that it is copied. */
function ShownOnce({ secret, note, onDone }: { secret: string; note: string; onDone: () => void }) {
  return (
    <div className="stack" role="status">
      <p className="dim">{note}</p>
      <pre tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} data-secret>{secret}</pre>
      <div className="row">
        <Button icon={<IconCopy {...smallIcon} />} onClick={() => void copyText(secret)}>{t('copy')}</Button>
        <Button look="main" onClick={onDone}>{t('done')}</Button>
      </div>
    </div>
  );
}

interface DialogProps {
  title: string;
  /** null: there is none yet, and `children` stand there */
  secret: string | null;
  note: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A dialog that ends in such a secret. Once it is there, neither Escape nor a click beside the dialog takes it away. */
export function OnceDialog({ title, secret, note, onClose, children }: DialogProps) {
  return (
    <Modal opened onClose={onClose} title={title} withCloseButton={false} closeOnEscape={!secret} closeOnClickOutside={!secret}>
      {secret ? <ShownOnce secret={secret} note={note} onDone={onClose} /> : children}
    </Modal>
  );
}
