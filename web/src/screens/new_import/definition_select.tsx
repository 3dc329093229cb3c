import { Select } from '@mantine/core';
import { useId } from 'react';
import { addressOf } from '@/api/client';
import { useMay } from '@/api/me';
import { useCall } from '@/api/use_call';
import { Link } from '@/router/link';
import { t } from '@/strings/new_import';
import styles from './new_import.module.css';

interface Props {
  value: string | null;
  onChange: (slug: string | null) => void;
}

/** What the file is for; without a choice it is found from the headers. */
export function DefinitionSelect({ value, onChange }: Props) {
  const id = useId();
  const may = useMay();
  const definitions = useCall('definitions.list', {}, { staleTime: 30_000 });
  const valid = (definitions.data?.items ?? []).filter((one) => one.valid);
  const data = [{ value: '', label: t('findIt') }, ...valid.map((one) => ({ value: one.slug, label: one.name || one.slug }))];
  return (
    <div className={styles.for}>
      <label htmlFor={id} className="dim">{t('for')}</label>
      <Select id={id} data={data} value={value ?? ''} onChange={(slug) => onChange(slug || null)} allowDeselect={false} searchable={data.length > 8} />
      {value ? (
        <a className="small" href={addressOf('definitions.template', { slug: value })} download>{t('template')}</a>
      ) : definitions.data && valid.length === 0 ? (
        <span className="small dim">{t('noDefinitions')} {may('definitions.save') ? <Link to="/definitions">{t('makeDefinition')}</Link> : null}</span>
      ) : null}
    </div>
  );
}
