import { IconCopy } from '@tabler/icons-react';
import { t } from '@/strings/ops';
import { Button } from './button';
import { copyText } from './copy';
import { smallIcon } from './icons';

/** A secret that the server does not show again: it stays until the person says that it is copied. */
export function ShownOnce({ secret, note, onDone }: { secret: string; note: string; onDone: () => void }) {
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
