import { Checkbox, TextInput } from '@mantine/core';
import { IconArrowBackUp, IconChevronLeft, IconChevronRight, IconSearch, IconX } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
import { useKeys } from '@/keys/keys';
import { t } from '@/strings/grid';
import { kStates, type Filter } from './rows';
import styles from './grid.module.css';

interface Props {
  filter: Filter;
  onFilter: (change: Partial<Filter>) => void;
  ahead: boolean;
  changingOnly: boolean;
  onChangingOnly: ((on: boolean) => void) | null;
  walk: { at: number; total: number };
  onWalk: (direction: 1 | -1) => void;
  onReplace: (() => void) | null;
  edits: number;
  onEdits: (() => void) | null;
}

const kTyping = 250;
const kMostText = 60;

/** A text in any cell; searched for once the typing pauses. */
function TextFilter({ text, onText }: { text: string; onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = window.setTimeout(() => onText(typed), kTyping);
    return () => window.clearTimeout(timer);
  }, [typed, text, onText]);
  useKeys(t('keys'), [{ keys: '/', label: t('keyFind'), run: () => box.current?.focus() }]);
  return (
    <TextInput
      ref={box}
      size="xs"
      className={styles.find}
      aria-label={t('findText')}
      placeholder={t('findShort')}
      value={typed}
      maxLength={kMostText}
      spellCheck={false}
      leftSection={<IconSearch {...smallIcon} />}
      rightSection={typed ? <button type="button" className={styles.clear} aria-label={t('clearFilter')} onClick={() => { setTyped(''); onText(''); }}><IconX {...smallIcon} /></button> : null}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onText(typed);
      }}
    />
  );
}

export function Tools({ filter, onFilter, ahead, changingOnly, onChangingOnly, walk, onWalk, onReplace, edits, onEdits }: Props) {
  const word = (state: string) => (!ahead && state === 'inserted' ? t('insertedDone') : !ahead && state === 'updated' ? t('updatedDone') : t(state as (typeof kStates)[number]));
  const onText = useCallback((text: string) => onFilter({ text }), [onFilter]);
  const extra = ['skipped', 'unprocessed', 'edited'].includes(filter.state) ? [filter.state] : [];
  return (
    <div className={styles.tools} role="toolbar" aria-label={t('filter')}>
      <Segmented label={t('filter')} value={filter.state} options={[...kStates, ...extra].map((state) => ({ value: state as string, label: word(state) }))} onChange={(state) => onFilter({ state })} />
      {(['issue', 'column'] as const).map((name) =>
        filter[name] ? (
          <span key={name} className={styles.chip}>
            <span className="mono">{filter[name]}</span>
            <button type="button" aria-label={t('clearFilter')} onClick={() => onFilter({ [name]: '' })}><IconX {...smallIcon} /></button>
          </span>
        ) : null,
      )}
      <TextFilter text={filter.text} onText={onText} />
      {onChangingOnly ? <Checkbox label={t('changingOnly')} checked={changingOnly} onChange={(event) => onChangingOnly(event.currentTarget.checked)} /> : null}
      <span className="row right">
        <Button small icon={<IconChevronLeft {...smallIcon} />} aria-label={t('previousIssue')} disabledBecause={walk.total === 0 && t('noIssues')} onClick={() => onWalk(-1)} />
        <span className="num nowrap">{walk.total === 0 ? t('noIssues') : walk.at > 0 ? t('issueOf', { at: walk.at, total: walk.total }) : t('issuesTotal', { count: walk.total })}</span>
        <Button small icon={<IconChevronRight {...smallIcon} />} aria-label={t('nextIssue')} disabledBecause={walk.total === 0 && t('noIssues')} onClick={() => onWalk(1)} />
        {onReplace ? <Button small onClick={onReplace}>{t('replace')}</Button> : null}
        {onEdits ? <Button small icon={<IconArrowBackUp {...smallIcon} />} onClick={onEdits}>{t('edits', { count: edits })}</Button> : null}
      </span>
    </div>
  );
}
