import { Select } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import type { Draft } from '@/api/schema';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
import { visible } from '@/format/cells';
import { wholePercent } from '@/format/numbers';
import { t } from '@/strings/match';
import { alsoUsedFor, isRememberedOrder, kSure, matchedOf, orderOf, openValues, type Matched, type Source, type Target } from './matching';
import styles from './new_import.module.css';

export const joinSamples = (samples: string[]): string => samples.filter((sample) => sample !== '').slice(0, 3).map(visible).join(' · ');

export function Badge({ matched }: { matched: Matched }) {
  switch (matched.kind) {
    case 'exact':
      return <span className="badge green">{t('exact')}</span>;
    case 'remembered':
      return <span className="badge blue">{t('remembered')}</span>;
    case 'similar':
      return <span className={`badge ${matched.score < kSure ? 'amber' : ''}`}>{t('similar', { percent: Math.round(matched.score * 100) })}</span>;
    case 'chosen':
      return <span className="badge violet">{t('chosen')}</span>;
    default:
      return null;
  }
}

export function Filled({ cells, blank }: { cells: number; blank: number }) {
  if (cells === 0) return null;
  const percent = wholePercent(cells - blank, cells);
  return <span className={percent < 75 ? styles.low : undefined}>{t('filled', { percent: `${percent} %` })}</span>;
}

interface Props {
  target: Target;
  targets: Target[];
  sources: Source[];
  draft: Draft;
  selected: boolean;
  onChoose: (source: string | null) => void;
  /** of its dates, in this column of the file */
  onOrder: (source: string, format: string) => void;
  onSelect: () => void;
}

const firstOf = (format: string): string => t(format.startsWith('D') ? 'dayFirst' : format.startsWith('M') ? 'monthFirst' : 'yearFirst');

/** One data column: which column of the file goes there, and why lade thinks so. */
export function MatchRow({ target, targets, sources, draft, selected, onChoose, onOrder, onSelect }: Props) {
  const matched = matchedOf(target, draft.mapping);
  const guess = matched.source === null && draft.mapping[target.data_column] === undefined ? target.candidates[0] : undefined;
  const shown = sources.find((one) => one.source_column === (matched.source ?? guess?.source_column));
  const open = matched.source === null ? 0 : openValues(target, draft.values).length;
  const order = orderOf(target, draft.mapping);
  const also = alsoUsedFor(matched.source, target, targets, draft.mapping);
  const options = [...(target.required ? [] : [{ value: '', label: t('nothing') }]), ...sources.map((one) => ({ value: one.source_column, label: visible(one.source_column) }))];
  return (
    <div
      className={`${styles.mrow} ${selected ? styles.sel : ''} ${target.values ? styles.clickable : ''}`}
      onClick={(event) => target.values && !(event.target as HTMLElement).closest('button, input, [role="option"]') && onSelect()}
    >
      <Select
        className={`${styles.chooser} ${matched.source === null && target.required ? styles.ask : ''}`}
        aria-label={t('chooseFor', { column: target.data_column })}
        placeholder={t('choose')}
        data={options}
        value={matched.source}
        searchable={sources.length > 8}
        allowDeselect={false}
        onChange={(value) => onChoose(value || null)}
      />
      <div className={styles.samples}>
        <div className="cut">{shown ? joinSamples(shown.samples) : ''}</div>
        <small>{guess ? t('guess', { column: visible(guess.source_column) }) : shown && matched.source !== null ? <Filled cells={shown.cells} blank={shown.blank} /> : null}</small>
      </div>
      <span className="faint"><IconArrowRight {...smallIcon} /></span>
      <div className={styles.target}>
        <b>{target.data_column}</b> {target.required ? <span className="red" title={t('required')}>*</span> : null}
        <small className="cut">{target.type}</small>
      </div>
      <div className={styles.why}>
        {guess ? (
          <>
            <Badge matched={{ source: null, kind: 'similar', score: guess.score }} />
            <Button small onClick={() => onChoose(guess.source_column)}>{t('useThis', { column: visible(guess.source_column) })}</Button>
          </>
        ) : (
          <Badge matched={matched} />
        )}
        {target.values && matched.source !== null ? (
          <button type="button" className={`linkBtn ${open > 0 ? styles.openLink : styles.knownLink}`} aria-pressed={selected} onClick={onSelect}>
            {open > 0 ? t('open', { open, total: target.values.total }) : t('allKnown', { count: target.values.total })}
          </button>
        ) : null}
        {also.length > 0 ? <span className="faint">{t('alsoUsed', { columns: also.join(', ') })}</span> : null}
        {matched.source !== null && target.evidence ? <span className={styles.evidence}>{target.evidence}</span> : null}
        {target.ambiguous && matched.source !== null ? (
          <span className={styles.order}>
            <span className={`${styles.evidence} ${order === null ? 'amber' : ''}`}>{t('ambiguous')} {isRememberedOrder(target, draft.mapping) ? <span className="badge blue">{t('remembered')}</span> : null}</span>
            <Segmented label={t('orderOf', { column: target.data_column })} value={order ?? ''} options={target.orders.map((format) => ({ value: format, label: t('order', { first: firstOf(format), format }) }))} onChange={(format) => onOrder(matched.source!, format)} />
          </span>
        ) : null}
      </div>
    </div>
  );
}

/** A column of the file that goes nowhere, with a way to match it. */
export function UnusedRow({ source, targets, onChoose }: { source: Source; targets: Target[]; onChoose: (data: string) => void }) {
  return (
    <div className={`${styles.mrow} ${styles.ignored}`}>
      <span className="cut">{visible(source.source_column)}</span>
      <span className={`${styles.samples} cut`}>{joinSamples(source.samples)}</span>
      <span />
      <span className={styles.samples}><Filled cells={source.cells} blank={source.blank} /></span>
      <Select
        className={`${styles.chooser} right`}
        w={190}
        aria-label={t('matchTo', { column: visible(source.source_column) })}
        placeholder={t('match')}
        data={targets.map((target) => target.data_column)}
        value={null}
        onChange={(data) => data && onChoose(data)}
      />
    </div>
  );
}
