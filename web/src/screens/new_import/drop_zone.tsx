import { IconUpload } from '@tabler/icons-react';
import { useEffect, useId } from 'react';
import { formatBytes } from '@/format/numbers';
import { t } from '@/strings/new_import';
import { onFileOffered, takeFile } from './dropped_file';
import styles from './new_import.module.css';

/** Drop, paste or choose; a file dropped anywhere in the window arrives here too. */
export function DropZone({ limit, onFile }: { limit: number; onFile: (file: File) => void }) {
  const id = useId();
  useEffect(() => {
    const take = () => {
      const file = takeFile();
      if (file) onFile(file);
    };
    take();
    return onFileOffered(take);
  }, [onFile]);
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      if (event.target instanceof HTMLInputElement && event.target.type !== 'file') return;
      const file = event.clipboardData?.files[0];
      const text = event.clipboardData?.getData('text/plain');
      if (file) onFile(file);
      else if (text?.trim()) onFile(new File([text], t('pasted'), { type: 'text/csv' }));
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, [onFile]);
  return (
    <div className={styles.drop}>
      <IconUpload size={28} stroke={1.4} aria-hidden="true" />
      <p>
        {t('drop')} <label htmlFor={id}>{t('choose')}</label>
        <input
          id={id}
          type="file"
          data-main
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            event.currentTarget.value = '';
            if (file) onFile(file);
          }}
        />
      </p>
      <span className="small faint">{t('formats', { limit: formatBytes(limit) })}</span>
    </div>
  );
}
