import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useMay } from '@/api/me';
import type { Import } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { Answered, Empty, ProblemView } from '@/components/states';
import { toast } from '@/components/toast';
import { visible } from '@/format/cells';
import { formatClockSeconds } from '@/format/times';
import { useKeys } from '@/keys/keys';
import { useSearch } from '@/router/router';
import { t } from '@/strings/grid';
import { preferences } from '@/theme/preferences';
import { EditsDialog } from './edits_dialog';
import type { Editing } from './editor';
import { GoTo } from './go_to';
import { Grid, type Active, type GridHandle } from './grid';
import { IssuePop, suggestionOf } from './issue_pop';
import { Panel } from './panel';
import { ReplaceDialog } from './replace_dialog';
import { RowMapView } from './row_map';
import { changeAt, filterOf, isAll, isFailed, issueAt, issueColumns, type Filter, type GridRow } from './rows';
import { Tools } from './tools';
import { cellKey, useEdits, type EditMode } from './use_edits';
import { useFixes } from './use_fixes';
import { useIssueWalk } from './use_issue_walk';
import { placeOf, usePages } from './use_pages';
import { useShown } from './use_shown';
import styles from './grid.module.css';

interface Props {
  job: Import;
  /** an edit was taken, or several: numbers of the import are of an older revision now */
  onRevision?: (revision: number) => void;
}

const kRunningEvery = 3_000;
// Signs that stay commands on a cell that can be edited; every other one begins an edit there, whatever it means elsewhere.
const kCommands = new Set(['[', ']', 'd', '?', '/', ' ']);

function modeOf(job: Import, may: ReturnType<typeof useMay>): EditMode {
  if (job.status === 'waiting_for_review' && may('imports.correct_row')) return 'review';
  if (job.state === 'finished' && job.rows.failed > 0 && job.status !== 'undone' && job.status !== 'rejected' && may('imports.fix')) return 'fix';
  return 'none';
}

/** The rows of an import: filter, walk from issue to issue, edit, replace, look closer. For the review and for the tab Rows. */
export function RowsWork({ job, onRevision }: Props) {
  const id = job.job_id;
  const client = useQueryClient();
  const may = useMay();
  const [search, changeSearch] = useSearch();
  const filterText = filterOf(search);
  // One object for one filter, so that what depends on it does not change with the chosen row.
  const filter = useMemo<Filter>(() => filterText, [filterText.state, filterText.issue, filterText.column, filterText.text]);
  const ahead = job.status === 'waiting_for_review';
  const mode = modeOf(job, may);

  const [range, setRange] = useState<[number, number]>([0, 40]);
  const onRange = useCallback((first: number, last: number) => setRange([first, last]), []);
  // What is running changes its rows; what waits for review only by edits, which say so.
  const every = job.status === 'running' ? kRunningEvery : (false as const);
  const pages = usePages(id, filter, range[0], range[1], every);
  const { head, rowAt, putRow, applyAgain, refetch } = pages;
  const page = head.data;
  const columns = page?.columns ?? [];
  const allShown = useShown(page?.columns, page?.items);
  const changingOnly = search.get('changing') === '1';
  const summary = useCall('imports.diff_summary', { path: { import: id } }, { enabled: ahead, staleTime: 30_000 });
  const shown = useMemo(() => {
    if (!changingOnly) return allShown;
    const changing = new Set(summary.data?.columns.filter((one) => one.changes > 0).map((one) => one.column));
    const wrong = new Set(page?.items.flatMap((row) => row.issues.map((issue) => issue.source)));
    const some = allShown.filter((one) => one.column.key || wrong.has(one.at) || one.column.data.some((name) => changing.has(name)) || page?.items.some((row) => changeAt(row, one.column)));
    return some.length > 0 ? some : allShown;
  }, [allShown, changingOnly, summary.data, page]);
  // The map is of the whole file; beside some of its rows it would point to wrong places.
  const map = useCall('imports.row_map', { path: { import: id }, query: { slots: 600 } }, { enabled: isAll(filter), staleTime: 30_000, refetchInterval: every, keep: true });

  const grid = useRef<GridHandle>(null);
  const [active, setActiveCell] = useState<Active>({ index: 0, column: 0 });
  const row = rowAt(active.index);
  const [panel, setPanel] = useState(() => window.innerWidth >= 1200);
  const [closedPop, setClosedPop] = useState('');
  const [dialog, setDialog] = useState<null | { replace: { column: string; from: string } } | 'edits' | 'goto'>(null);
  // What kept a place in the file from being found.
  const [fault, setFault] = useState<unknown>(null);
  const tried = useCallback((work: Promise<unknown>) => {
    setFault(null);
    work.catch(setFault);
  }, []);
  const [misfits, setMisfits] = useState<ReadonlySet<number>>(new Set());
  useEffect(() => setMisfits(new Set()), [filter]);

  const onEdited = useCallback(
    (fresh: GridRow | null, revision: number) => {
      onRevision?.(revision);
      if (fresh && filter.state === 'failed' && !isFailed(fresh)) setMisfits((before) => new Set(before).add(fresh.row));
      for (const name of ['imports.row_map', 'imports.issues', 'imports.diff_summary', 'imports.grid.walk'] as const) void client.invalidateQueries({ queryKey: [name, { import: id }] });
      // Without a filter rows keep their places, so others that this edit touched can be read anew at once.
      if (isAll(filter)) refetch();
    },
    [client, filter, id, onRevision, refetch],
  );
  const edits = useEdits({ id, mode, columns, putRow, onEdited });

  const { begin } = edits;
  const isThere = page !== undefined;
  useEffect(() => {
    if (isThere) begin();
  }, [isThere, begin]);

  // Another revision that was not made here: everything is read anew, in place.
  const seen = useRef(job.revision);
  useEffect(() => {
    if (seen.current === job.revision) return;
    seen.current = job.revision;
    if (isAll(filter)) refetch();
  }, [job.revision, filter, refetch]);

  // The address names the chosen row; it is found again by its number, not by its place.
  const wantedRow = Number(search.get('row')) || 0;
  const shownRow = useRef(0);
  const goTo = useCallback(
    async (number: number, column?: number) => {
      const place = await placeOf(id, filter, number);
      setActiveCell((before) => ({ index: place.index, column: column ?? before.column }));
      grid.current?.reveal(place.index, 'middle');
      return place.row;
    },
    [filter, id],
  );
  const total = page?.matching ?? 0;
  useEffect(() => {
    if (!page || wantedRow === 0 || wantedRow === shownRow.current) return;
    shownRow.current = wantedRow;
    tried(goTo(wantedRow).then((found) => {
      const first = found ? issueColumns(found)[0] : undefined;
      if (first !== undefined) setActiveCell((before) => ({ ...before, column: first }));
    }));
  }, [page, wantedRow, goTo, tried]);
  useEffect(() => {
    if (!row || row.row === shownRow.current) return;
    const timer = window.setTimeout(() => {
      shownRow.current = row.row;
      changeSearch({ row: String(row.row) });
    }, 250);
    return () => window.clearTimeout(timer);
  }, [row, changeSearch]);
  // Another filter begins at its first row; where that has an issue, at the cell that has it.
  const filterBefore = useRef<Filter | null>(null);
  useEffect(() => {
    if (!page || head.isPlaceholderData || filterBefore.current === filter) return;
    const begins = filterBefore.current === null;
    filterBefore.current = filter;
    if (begins && wantedRow > 0) return;
    const issue = page.items[0] ? issueColumns(page.items[0])[0] : undefined;
    setActiveCell((before) => ({ index: 0, column: issue ?? before.column }));
    if (!begins) grid.current?.reveal(0);
  }, [filter, page, head.isPlaceholderData, wantedRow]);

  // Counted for where one has come to rest, not for every row passed on the way.
  const walk = useIssueWalk(id, wantedRow || row?.row, job.revision);
  const walkOn = async (direction: 1 | -1) => {
    if (row) {
      const others = issueColumns(row).filter((at) => (direction === 1 ? at > active.column : at < active.column));
      const next = direction === 1 ? others[0] : others.at(-1);
      if (next !== undefined && issueAt(row, active.column)) return setActiveCell({ index: active.index, column: next });
    }
    const found = await walk.find(row?.row ?? (direction === 1 ? 0 : Number.MAX_SAFE_INTEGER), direction);
    if (found === null) return;
    // A row that the filter hides cannot be shown: then all rows are.
    const place = await placeOf(id, filter, found);
    if (place.row?.row !== found) return changeSearch({ state: null, issue: null, column: null, text: null, row: String(found) });
    const list = issueColumns(place.row);
    const column = direction === 1 ? list[0] : list.at(-1);
    setActiveCell((before) => ({ index: place.index, column: column ?? before.column }));
    grid.current?.reveal(place.index, 'middle');
    grid.current?.focus();
  };

  const onWalk = (direction: 1 | -1) => tried(walkOn(direction));

  const canEdit = (at: number, of: GridRow | undefined): boolean => mode !== 'none' && of !== undefined && columns[at]?.sensitive === false && (mode === 'review' || isFailed(of));
  const [draft, setDraft] = useState<{ row: GridRow; index: number; column: number; text: string; typed: boolean } | null>(null);
  const open = useRef(draft);
  open.current = draft;
  const step = (how: 'down' | 'right' | 'left' | 'stay') => {
    const order = shown.map((one) => one.at);
    const at = order.indexOf(active.column);
    const index = how === 'down' ? Math.min(active.index + 1, total - 1) : active.index;
    const column = how === 'right' ? (order[at + 1] ?? active.column) : how === 'left' ? (order[at - 1] ?? active.column) : active.column;
    setActiveCell({ index, column });
    grid.current?.reveal(index);
  };
  const place = useRef(rowAt);
  place.current = rowAt;
  const commit = async (of: GridRow, index: number, at: number, text: string, how: 'down' | 'right' | 'left' | 'stay') => {
    setDraft(null);
    if (how !== 'stay') step(how);
    const taken = await edits.commit(of, at, text);
    // Input is never lost: what was refused is in the editor again, unless something else is being written already.
    if (taken || open.current) return;
    // A row that does not fit the filter any more still stands where it was.
    if (place.current(index)?.row === of.row) return setActiveCell({ index, column: at });
    const found = await placeOf(id, filter, of.row).catch(() => null);
    if (found?.row?.row === of.row) setActiveCell({ index: found.index, column: at });
  };
  /** Writing goes on elsewhere: what stands in the editor counts. */
  const commitOpen = () => {
    if (draft) void commit(draft.row, draft.index, draft.column, draft.text, 'stay');
  };
  const onActive = (next: Active) => {
    if (draft && (next.column !== draft.column || rowAt(next.index)?.row !== draft.row.row)) commitOpen();
    setActiveCell(next);
  };
  const onEdit = (typed: string | null) => {
    const at = active.column;
    if (draft && draft.row.row === row?.row && draft.column === at) return setDraft({ ...draft, text: draft.text + (typed ?? '') });
    commitOpen();
    if (!row || !canEdit(at, row)) return;
    const { source } = columns[at]!;
    const key = cellKey(row.row, source);
    const shown = edits.pending.get(key) ?? row.values[at] ?? '';
    // The row as it is seen now: what somebody else writes into it meanwhile differs from it.
    const seen = { ...row, values: row.values.with(at, shown) };
    setDraft({ row: seen, index: active.index, column: at, text: typed ?? edits.refused.get(key)?.text ?? edits.fixes.get(row.row)?.[source] ?? shown, typed: typed !== null });
  };
  const editing = useMemo<Editing | null>(
    () =>
      draft && {
        row: draft.row.row,
        column: draft.column,
        text: draft.text,
        typed: draft.typed,
        change: (text) => setDraft((before) => before && { ...before, text }),
        finish: (how) => void commit(draft.row, draft.index, draft.column, draft.text, how),
        leave: () => {
          edits.forget(draft.row.row, columns[draft.column]!.source);
          setDraft(null);
        },
      },
    [draft],
  );

  const issue = row ? issueAt(row, active.column) : null;
  const refusal = row ? (edits.refused.get(cellKey(row.row, columns[active.column]?.source ?? '')) ?? null) : null;
  const popKey = row ? cellKey(row.row, String(active.column)) : '';
  const showsPop = row !== undefined && !draft && (refusal !== null || (issue !== null && closedPop !== popKey));
  const onKey = (event: KeyboardEvent): boolean => {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === 'Enter' && plain) {
      const suggestion = suggestionOf(issue);
      if (suggestion && row && canEdit(active.column, row)) void commit(row, active.index, active.column, suggestion, 'stay');
      else onEdit(null);
      event.preventDefault();
      return true;
    }
    if (event.key === 'Escape') {
      event.preventDefault();
      if (refusal && row) edits.forget(row.row, columns[active.column]!.source);
      else if (showsPop) setClosedPop(popKey);
      else setPanel(false);
      return true;
    }
    if (event.key.length !== 1 || !plain || !row || !canEdit(active.column, row)) return false;
    if (preferences().letters && kCommands.has(event.key.toLowerCase())) return false;
    event.preventDefault();
    onEdit(event.key);
    return true;
  };
  const undoLast = async () => {
    toast((await edits.undo()) ? t('undone') : t('nothingToUndo'));
  };
  const openReplace = () => {
    const column = columns[active.column];
    setDialog({ replace: { column: column && !column.sensitive ? column.source : '', from: row && column && !column.sensitive ? (row.values[active.column] ?? '') : '' } });
  };
  useKeys(t('keys'), [
    { keys: ']', label: t('keyNext'), run: () => onWalk(1), repeats: true },
    { keys: '[', label: t('keyPrevious'), run: () => onWalk(-1), repeats: true },
    { keys: 'd', label: t('keyPanel'), run: () => setPanel((open) => !open) },
    { keys: 'Ctrl+g', label: t('keyGoTo'), run: () => setDialog('goto'), whileTyping: true },
    ...(mode !== 'none' ? [{ keys: 'F2', label: t('keyEdit'), run: () => onEdit(null) }, { keys: 'Ctrl+z', label: t('keyUndo'), run: () => tried(undoLast()) }] : []),
    ...(mode === 'review' && may('imports.replace') ? [{ keys: 'Ctrl+h', label: t('keyReplace'), run: openReplace, whileTyping: true }] : []),
    { keys: 'Escape', label: t('keyClose'), run: () => setPanel(false) },
  ]);

  const onFilter = useCallback((change: Partial<Filter>) => changeSearch({ ...change, ...(change.state === 'all' ? { state: null } : {}), row: null }, { push: change.text === undefined }), [changeSearch]);
  const sendFixes = useFixes(id, edits);
  const delimiter = typeof job.source?.delimiter === 'string' ? job.source.delimiter : /\.(tsv|tab)$/i.test(job.file) ? '\t' : columns.length > 0 && page?.items.some((one) => one.values.some((value) => value.includes(','))) ? ';' : ',';
  const noFit = `noFit_${filter.state}`;
  const fixCount = edits.fixes.size;
  return (
    <div className={styles.work} data-panel={panel ? 'open' : undefined}>
      <div className={styles.gridbox}>
        <Tools
          filter={filter}
          onFilter={onFilter}
          ahead={ahead}
          changingOnly={changingOnly}
          onChangingOnly={ahead ? (on) => changeSearch({ changing: on ? '1' : null }) : null}
          walk={walk}
          onWalk={onWalk}
          onReplace={mode === 'review' && may('imports.replace') ? openReplace : null}
          edits={edits.done.length}
          onEdits={mode === 'review' ? () => setDialog('edits') : null}
        />
        {fault ? <ProblemView error={fault} compact /> : null}
        {misfits.size > 0 ? (
          <div className={styles.note} role="status"><span>{t('noLonger', { count: misfits.size })}</span><button type="button" className="linkBtn" onClick={() => { setMisfits(new Set()); applyAgain(); }}>{t('applyAgain')}</button></div>
        ) : null}
        {mode === 'fix' && fixCount > 0 ? (
          <div className={styles.note} role="status">
            <span className="grow">{sendFixes.error ?? t('fixNote')}</span>
            <Button small onClick={edits.clearFixes}>{t('discardFixes')}</Button>
            <Button small look="main" pending={sendFixes.working} onClick={() => void sendFixes.send()}>{t('sendFixes', { count: fixCount })}</Button>
          </div>
        ) : null}
        <div className={styles.fill}>
        <Answered query={head} heights={[28, 28, 28, 28, 28, 28]} compact>
          {(answer) =>
            answer.matching === 0 && !head.isPlaceholderData ? (
              <Empty action={isAll(filter) ? null : <button type="button" className="linkBtn" onClick={() => changeSearch({ state: null, issue: null, column: null, text: null, row: null })}>{t('showAll')}</button>}>
                {isAll(filter) ? t('noRows') : answer.search?.complete === false ? t('searching') : filter.text ? t('noFitText', { text: visible(filter.text) }) : t.has(noFit) && !filter.issue && !filter.column ? t(noFit) : t('noFit')}
              </Empty>
            ) : (
              <Grid
                ref={grid}
                label={t('rows')}
                count={answer.matching}
                columns={shown}
                rowAt={rowAt}
                active={active}
                onActive={onActive}
                onRange={onRange}
                onKey={onKey}
                onEdit={onEdit}
                pending={edits.pending}
                refused={edits.refused}
                fixes={edits.fixes}
                editing={editing}
                map={isAll(filter) ? <RowMapView map={map.data} from={range[0] / Math.max(answer.matching, 1)} to={(range[1] + 1) / Math.max(answer.matching, 1)} onJump={(share) => grid.current?.reveal(Math.floor(share * answer.matching), 'middle')} /> : null}
                pop={
                  showsPop ? (
                    <IssuePop
                      id={id}
                      issue={issue}
                      refusal={refusal}
                      value={row.values[active.column] ?? ''}
                      column={columns[active.column]?.source ?? ''}
                      mayEdit={canEdit(active.column, row)}
                      mayReplace={mode === 'review' && may('imports.replace')}
                      onUse={(text) => void commit(row, active.index, active.column, text, 'stay')}
                      onEdit={() => onEdit(null)}
                      onSame={openReplace}
                      onTheirs={() => edits.forget(row.row, columns[active.column]!.source)}
                    />
                  ) : null
                }
              />
            )
          }
        </Answered>
        </div>
        <div className={styles.status}>
          <span>{page ? (isAll(filter) ? t('range', { from: (rowAt(range[0])?.row ?? range[0] + 1), to: (rowAt(range[1])?.row ?? range[1] + 1), total }) : t('rangeFiltered', { from: Math.min(range[0] + 1, total), to: Math.min(range[1] + 1, total), matching: total, total: page.rows_total })) : ''}</span>
          {page?.search && (!page.search.complete || page.search.looked_at < page.rows_total) ? <span role="status">{t(page.search.complete ? 'searchCut' : 'searched', { looked: page.search.looked_at, total: page.rows_total, count: page.matching })}</span> : null}
          <span className="hideSmall"><kbd>]</kbd> {t('hintNext')}</span>
          {mode !== 'none' ? <span className="hideSmall"><kbd>F2</kbd> {t('hintEdit')}</span> : null}
          {mode !== 'none' ? <span className="hideSmall"><kbd>Ctrl Z</kbd> {t('hintUndo')}</span> : null}
          <span className="hideSmall"><kbd>D</kbd> {t('hintPanel')}</span>
          <span className="right" role="status">{edits.checkedAt !== null && edits.done.length > 0 ? t('recheckedAt', { count: edits.done.length, time: formatClockSeconds(edits.checkedAt), revision: job.revision }) : ahead ? t('revision', { revision: job.revision }) : ''}</span>
        </div>
      </div>
      {panel ? <Panel row={row} columns={columns} ahead={ahead} delimiter={delimiter} onClose={() => setPanel(false)} /> : null}
      {dialog === 'edits' ? <EditsDialog edits={edits} onClose={() => setDialog(null)} onShow={() => { setDialog(null); onFilter({ state: 'edited' }); }} /> : null}
      {dialog === 'goto' ? <GoTo most={page?.rows_total ?? 0} onClose={() => setDialog(null)} onGo={(number) => { setDialog(null); tried(goTo(number).then(() => grid.current?.focus())); }} /> : null}
      {dialog !== null && typeof dialog === 'object' ? (
        <ReplaceDialog
          id={id}
          columns={columns}
          filter={filter}
          matching={total}
          total={page?.rows_total ?? 0}
          begin={dialog.replace}
          onClose={() => setDialog(null)}
          onReplaced={(revision) => {
            edits.sawRevision(revision);
            onRevision?.(revision);
            void client.invalidateQueries({ queryKey: keyOf('imports.show', { path: { import: id } }) });
            for (const name of ['imports.row_map', 'imports.issues', 'imports.diff_summary', 'imports.grid.walk', 'imports.replace'] as const) void client.invalidateQueries({ queryKey: [name, { import: id }] });
            applyAgain();
          }}
        />
      ) : null}
    </div>
  );
}
