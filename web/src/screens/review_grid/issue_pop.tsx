import { useQuery } from '@tanstack/react-query';
import { call } from '@/api/client';
import { Button } from '@/components/button';
import { visible } from '@/format/cells';
import { t } from '@/strings/grid';
import type { GridIssue } from './rows';
import type { Refusal } from './use_edits';

const begun = (text: string): string => {
  const trimmed = text.trim();
  if (!trimmed) return '';
  const capital = trimmed[0]!.toUpperCase() + trimmed.slice(1);
  return /[.?!…)]$/.test(capital) ? capital : `${capital}.`;
};

/** What would be accepted instead, where the server says it: "did you mean 'NL'?" */
export function suggestionOf(issue: GridIssue | null): string | null {
  const found = /did you mean (?:'([^']+)'|“([^”]+)”|"([^"]+)"|(\S+?))\?/i.exec(`${issue?.hint ?? ''} ${issue?.message ?? ''}`);
  return found ? (found[1] ?? found[2] ?? found[3] ?? found[4] ?? null) : null;
}

interface Props {
  id: string;
  issue: GridIssue | null;
  refusal: Refusal | null;
  value: string;
  column: string;
  /** the editor may be opened here */
  mayEdit: boolean;
  mayReplace: boolean;
  onUse: (text: string) => void;
  onEdit: () => void;
  onSame: () => void;
  onTheirs: () => void;
}

/** Beside the cell: what is wrong, what would be accepted, and the shortest way to it. */
export function IssuePop({ id, issue, refusal, value, column, mayEdit, mayReplace, onUse, onEdit, onSame, onTheirs }: Props) {
  const same = useQuery({
    queryKey: ['imports.replace', { import: id }, { column, value }],
    queryFn: ({ signal }) => call('imports.replace', { path: { import: id }, body: { column, from: value, to: `${value} `, dry_run: true }, signal }),
    enabled: mayReplace && issue !== null,
    staleTime: 10_000,
    retry: false,
  });
  const suggestion = suggestionOf(issue);
  if (refusal?.theirs !== undefined)
    return (
      <>
        <b>{t('conflict', { theirs: visible(refusal.theirs), mine: visible(refusal.text) })}</b>
        <p />
        <div className="row wrap">
          <Button small look="main" onClick={() => onUse(refusal.text)}>{t('keepMine')}</Button>
          <Button small onClick={onTheirs}>{t('takeTheirs')}</Button>
        </div>
      </>
    );
  return (
    <div role="group" aria-label={t('issues')}>
      <b>{begun(refusal ? refusal.message : (issue?.message ?? ''))}</b>
      <p>{refusal ? null : begun(issue?.hint ?? '')}</p>
      {mayEdit ? (
        <div className="row wrap">
          {suggestion ? <Button small look="main" onClick={() => onUse(suggestion)}>{t('use', { value: suggestion })} <kbd>Enter</kbd></Button> : null}
          <Button small look={suggestion ? undefined : 'main'} onClick={onEdit}>{t('edit')} <kbd>F2</kbd></Button>
          {same.data && same.data.cells > 1 ? <Button small onClick={onSame}>{t('sameIn', { count: same.data.cells })}</Button> : null}
        </div>
      ) : null}
    </div>
  );
}
