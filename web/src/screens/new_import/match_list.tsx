import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Draft } from '@/api/schema';
import { smallIcon } from '@/components/icons';
import { t } from '@/strings/match';
import { groupOf, isDecided, matchedOf, requiredFirst, unusedOf, type Group, type Source, type Target } from './matching';
import { MatchRow, UnusedRow } from './match_row';
import styles from './new_import.module.css';

interface Props {
  targets: Target[];
  sources: Source[];
  draft: Draft;
  selected: string | undefined;
  onChoose: (data: string, source: string | null) => void;
  onOrder: (data: string, source: string, format: string) => void;
  onSelect: (data: string) => void;
}

function GroupHead({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return <div className={styles.group} role="heading" aria-level={2}>{icon}{title} <span className="num">{children}</span></div>;
}

/** Columns by what has to be done about them. A row keeps its place until the step is left: nothing jumps when it is complete. */
export function MatchList({ targets, sources, draft, selected, onChoose, onOrder, onSelect }: Props) {
  const [places] = useState(() => new Map<string, Group>());
  for (const target of targets) if (!places.has(target.data_column)) places.set(target.data_column, groupOf(target, draft));
  const placeOf = (target: Target): Group => {
    const place = places.get(target.data_column)!;
    // What was left out and is matched now has to be seen.
    return place === 'left' && matchedOf(target, draft.mapping).source !== null ? 'matched' : place;
  };
  const of = (group: Group) => requiredFirst(targets.filter((target) => placeOf(target) === group));
  const needs = of('needs');
  const matched = of('matched');
  const left = of('left');
  const unused = unusedOf(sources, targets, draft.mapping);
  const row = (target: Target) => (
    <MatchRow key={target.data_column} target={target} targets={targets} sources={sources} draft={draft} selected={selected === target.data_column} onChoose={(source) => onChoose(target.data_column, source)} onOrder={(source, format) => onOrder(target.data_column, source, format)} onSelect={() => onSelect(target.data_column)} />
  );
  const decided = needs.every((target) => isDecided(target, draft));
  return (
    <section className={`card ${styles.map}`} aria-label={t('columns')} tabIndex={0}>
      <div className={`${styles.mrow} ${styles.mhead}`} aria-hidden="true"><span>{t('inFile')}</span><span>{t('firstValues')}</span><span /><span>{t('goesTo')}</span><span>{t('why')}</span></div>
      {needs.length > 0 ? <GroupHead title={t('needs')} icon={decided ? <IconCheck {...smallIcon} className="green" /> : <IconAlertTriangle {...smallIcon} className="amber" />}>{t('count', { count: needs.length })}</GroupHead> : null}
      {needs.map(row)}
      {matched.length > 0 ? <GroupHead title={t('matched')} icon={<IconCheck {...smallIcon} className="green" />}>{t('count', { count: matched.length })}</GroupHead> : null}
      {matched.map(row)}
      {unused.length > 0 ? <GroupHead title={t('notImported')}>{t('countOfFile', { count: unused.length })}</GroupHead> : null}
      {unused.map((source) => <UnusedRow key={source.source_column} source={source} targets={targets} onChoose={(data) => onChoose(data, source.source_column)} />)}
      {left.length > 0 ? <GroupHead title={t('left')}>{t('leftText', { count: left.length, names: left.map((target) => target.data_column).join(', ') })}</GroupHead> : null}
    </section>
  );
}
