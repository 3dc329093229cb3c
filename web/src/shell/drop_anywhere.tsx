import { useEffect, useState } from 'react';
import { navigate } from '@/router/router';
import { t } from '@/strings/new_import';
import { offerFile } from '@/screens/new_import/dropped_file';
import styles from './drop_anywhere.module.css';

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** The whole window takes a file, wherever one is: it begins a new import. */
export function DropAnywhere() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      offerFile(file);
      if (!window.location.pathname.startsWith('/new')) navigate('/new');
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop);
    };
  }, []);
  return over ? <div className={styles.over}><p>{t('dropHere')}</p></div> : null;
}
