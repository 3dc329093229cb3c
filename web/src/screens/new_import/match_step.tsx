import { Checkbox } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '@/api/client';
import { isCallError, type CallError } from '@/api/problem';
import type { Draft, File as StoredFile, HeaderMatch } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { useLastGood } from '@/api/use_last_good';
import { Button } from '@/components/button';
import { Answered, Empty, Loading, ProblemView } from '@/components/states';
import { visible } from '@/format/cells';
import { formatBytes } from '@/format/numbers';
import { Link } from '@/router/link';
import { navigate, useSearch } from '@/router/router';
import { t as general } from '@/strings/general';
import { t } from '@/strings/match';
import { DefinitionSelect } from './definition_select';
import { useFoundDefinition } from './find_definition';
import { Frame } from './frame';
import { MatchList } from './match_list';
import { formatsOf, lacksOrder, matchedOf, missingOf, openRows, setOf, wholeSetOf, withOrders, type Target } from './matching';
import type { StepName } from './steps';
import type { DraftHandle, SaveState } from './use_draft';
import { ValuesPanel } from './values_panel';
import styles from './new_import.module.css';

interface Props {
  draft: Draft;
  file: StoredFile;
  handle: DraftHandle;
  saveState: SaveState;
  reached: StepName;
  addressOf: (step: StepName) => string;
  onBack: () => void;
}

function useMatch(draft: Draft) {
  const set = setOf(draft.mapping);
  const match = useQuery<HeaderMatch, CallError>({
    queryKey: ['definitions.match', draft.definition, draft.file_id, draft.read, set],
    enabled: draft.definition !== null,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => call('definitions.match', { path: { slug: draft.definition! }, body: { file_id: draft.file_id!, source: draft.read, set, detail: true }, signal }),
  });
  return useLastGood(match);
}

/** The column whose values are shown: the one in the address, else the first with open ones, else the first with any. */
function panelOf(targets: Target[], draft: Draft, wanted: string | null): Target | undefined {
  const able = targets.filter((target) => target.values && matchedOf(target, draft.mapping).source !== null);
  return able.find((target) => target.data_column === wanted) ?? able.find((target) => openRows(target, draft.values) > 0) ?? able[0];
}

/** Step 3 once the definition is known. */
function Matching({ draft, handle, match, stale }: { draft: Draft; handle: DraftHandle; match: HeaderMatch; stale: boolean }) {
  const [search, changeSearch] = useSearch();
  const targets = match.targets ?? [];
  const panel = panelOf(targets, draft, search.get('column'));
  const source = panel ? matchedOf(panel, draft.mapping).source : null;
  if (targets.length === 0) return <Empty action={<Link to={`/definitions/${match.definition}`}>{t('openDefinition')}</Link>}>{t('noColumns')}</Empty>;
  return (
    <div className={`${styles.cols} ${panel ? '' : styles.single}`} aria-busy={stale}>
      <MatchList
        targets={targets}
        sources={match.sources ?? []}
        draft={draft}
        selected={panel?.data_column}
        onChoose={(data, column) => handle.change({ mapping: { ...draft.mapping, [data]: column } })}
        onOrder={(data, from, format) => handle.change({ mapping: { ...draft.mapping, [data]: { from, format } } })}
        onSelect={(column) => changeSearch({ column })}
      />
      {panel && source !== null ? (
        <ValuesPanel
          key={panel.data_column}
          target={panel}
          source={source}
          values={draft.values}
          onDecide={(text, decision) => {
            const { [text]: _, ...others } = draft.values[panel.data_column] ?? {};
            handle.change({ values: { ...draft.values, [panel.data_column]: decision ? { ...others, [text]: decision } : others } });
          }}
        />
      ) : null}
    </div>
  );
}

/** Step 3: which column is which; then the file is checked as a job that waits for review. */
export function MatchStep({ draft, file, handle, saveState, reached, addressOf, onBack }: Props) {
  const client = useQueryClient();
  const [search] = useSearch();
  const [remember, setRemember] = useState(true);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const found = useFoundDefinition(draft, draft.definition === null);
  const { change } = handle;
  useEffect(() => {
    if (draft.definition === null && found.data) change({ definition: found.data });
  }, [draft.definition, found.data, change]);
  const match = useMatch(draft);
  const definition = useCall('definitions.show', { path: { slug: draft.definition ?? '' } }, { enabled: draft.definition !== null, staleTime: 60_000 });
  const targets = match.data?.targets ?? [];
  const missing = missingOf(targets, draft.mapping);
  const failing = targets.filter((target) => matchedOf(target, draft.mapping).source !== null).reduce((sum, target) => sum + openRows(target, draft.values), 0);
  const orders = targets.filter((target) => lacksOrder(target, draft.mapping)).map((target) => target.data_column);
  // What the button counts belongs to these choices, not to those before them.
  const why = match.error ? t('refusedMatching') : !match.data || match.isPlaceholderData ? general('loading') : missing.length > 0 ? t('missingFirst', { columns: missing.join(', ') }) : orders.length > 0 ? t('orderFirst', { columns: orders.join(', ') }) : null;

  const check = async (force: boolean) => {
    setPending(true);
    setError(null);
    try {
      // What was remembered and is only shown so far becomes part of this import.
      const mapping = withOrders(targets, draft.mapping);
      if (mapping !== draft.mapping) change({ mapping });
      await handle.flush();
      if (remember) await call('definitions.match', { path: { slug: draft.definition! }, body: { file_id: draft.file_id!, source: draft.read, set: wholeSetOf(targets, draft.mapping), formats: formatsOf(targets, draft.mapping), save: true } });
      const job = await call('imports.create', { body: { draft_id: draft.draft_id, force } });
      void client.invalidateQueries({ queryKey: ['drafts.list'] });
      navigate(`/new/${job.job_id}/preview`, { replace: true });
    } catch (problem) {
      setError(problem);
      setPending(false);
    }
  };

  const lead = (
    <>
      {[visible(file.name), formatBytes(file.bytes), match.data?.rows ? general('rows', { count: match.data.rows }) : null].filter(Boolean).join(', ')}
      {definition.data ? <>, {t('leadFor', { file: '' }).replace(', ', '')} <Link to={`/definitions/${definition.data.slug}`}>{definition.data.name}</Link> {t('version', { version: definition.data.version })}</> : null}
    </>
  );
  const footer = (
    <>
      <Checkbox label={t('remember')} checked={remember} onChange={(event) => setRemember(event.currentTarget.checked)} />
      <span className={`dim ${styles.missing}`}>
        {missing.length > 0 ? t.rich('toGoOn', { columns: <b>{missing.join(', ')}</b> }) : orders.length > 0 ? t.rich('toGoOnOrder', { columns: <b>{orders.join(', ')}</b> }) : failing > 0 ? <span className="amber">{t('willFail', { count: failing })}</span> : null}
      </span>
      <Button look="main" disabledBecause={why} pending={pending} onClick={() => void check(search.get('again') === '1')}>{match.data?.complete_count ? t('check', { count: match.data.rows ?? 0 }) : t('checkAll')}</Button>
    </>
  );
  return (
    <Frame step="match" title={t('title')} lead={lead} saveState={saveState} reached={reached} addressOf={addressOf} onBack={onBack} onNext={why ? undefined : () => void check(false)} footer={footer}>
      {draft.corrections ? <p className="strip blue small" role="status">{t('editsKept', { count: draft.corrections.rows })}</p> : null}
      {error ? <Refusal error={error} retry={(force) => void check(force)} /> : null}
      {draft.definition === null ? (
        found.isFetching ? <div role="status"><p className="dim">{t('finding')}</p><Loading /></div> : found.error ? <ProblemView error={found.error} retry={() => void found.refetch()} /> : found.data ? <Loading /> : (
          <div className={styles.fileStep}><p>{t('noneFits')}</p><DefinitionSelect value={null} onChange={(slug) => change({ definition: slug })} /></div>
        )
      ) : (
        <Answered query={match} compact heights={[28, 45, 45, 45, 45, 45]}>{(data) => (
          <>
            {match.error ? <ProblemView error={match.error} retry={() => void match.refetch()} compact /> : null}
            <Matching draft={draft} handle={handle} match={data} stale={match.isPlaceholderData} />
          </>
        )}</Answered>
      )}
    </Frame>
  );
}

/** Why the import was not made; a file that was imported before may be imported again. */
function Refusal({ error, retry }: { error: unknown; retry: (force: boolean) => void }) {
  const duplicate = isCallError(error) && error.problem.kind === 'duplicate';
  return (
    <div className="stack">
      <ProblemView error={error} retry={duplicate ? undefined : () => retry(false)} />
      {duplicate ? <div><Button onClick={() => retry(true)}>{t('importAgain')}</Button></div> : null}
    </div>
  );
}
