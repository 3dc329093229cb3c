import { Checkbox } from '@mantine/core';
import { IconArrowBackUp, IconChevronLeft, IconChevronRight, IconX } from '@tabler/icons-react';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
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

export function Tools({ filter, onFilter, ahead, changingOnly, onChangingOnly, walk, onWalk, onReplace, edits, onEdits }: Props) {
  const word = (state: string) => (!ahead && state === 'inserted' ? t('insertedDone') : !ahead && state === 'updated' ? t('updatedDone') : t(state as (typeof kStates)[number]));
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
