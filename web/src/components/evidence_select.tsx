import { Select } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { t } from '@/strings/read';
import styles from './evidence_select.module.css';

interface Props {
  label: string;
  value: string | null;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
  /** why this is the guess */
  evidence?: ReactNode;
  /** set by the person, not found */
  changed?: boolean;
  onReset?: () => void;
}

/** A guess of lade's with its reason below; a changed one has a dot and a way back. */
export function EvidenceSelect({ label, value, options, onChange, evidence, changed, onReset }: Props) {
  const id = useId();
  return (
    <div className={styles.setting}>
      <label htmlFor={id}>{label}{changed ? <span className={styles.dot} title={t('changed')} /> : null}</label>
      <Select id={id} data={options} value={value} onChange={(next) => next !== null && next !== value && onChange(next)} allowDeselect={false} searchable={options.length > 12} />
      <div className={styles.evidence}>
        <span>{evidence}</span>
        {changed && onReset ? <button type="button" className="linkBtn" onClick={onReset}>{t('reset')}</button> : null}
      </div>
    </div>
  );
}
