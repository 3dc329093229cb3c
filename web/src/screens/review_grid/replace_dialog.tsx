import { Checkbox, Modal, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { isCallError } from '@/api/problem';
import { Button } from '@/components/button';
import { ProblemView } from '@/components/states';
import { visible } from '@/format/cells';
import { toast } from '@/components/toast';
import { t } from '@/strings/grid';
import { isAll, queryOf, type Filter, type GridColumn } from './rows';
import styles from './grid.module.css';

interface Props {
  id: string;
  columns: GridColumn[];
  filter: Filter;
  matching: number;
  total: number;
  begin: { column: string; from: string };
  onClose: () => void;
  onReplaced: (revision: number) => void;
}

/** The same correction in many rows. The button counts before it does anything. */
export function ReplaceDialog({ id, columns, filter, matching, total, begin, onClose, onReplaced }: Props) {
  const editable = columns.filter((column) => !column.sensitive);
  const [column, setColumn] = useState(begin.column || (editable[0]?.source ?? ''));
  const [from, setFrom] = useState(begin.from);
  const [to, setTo] = useState('');
  const [whole, setWhole] = useState(true);
  const filtered = !isAll(filter);
  const [these, setThese] = useState(false);
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const wish = these && filtered ? { filter: queryOf(filter) } : {};
  const body = { column, from, to, part: !whole, ...wish };
  const count = useQuery({
    queryKey: ['imports.replace', { import: id }, body],
    queryFn: ({ signal }) => call('imports.replace', { path: { import: id }, body: { ...body, dry_run: true }, signal }),
    enabled: column !== '' && from !== to && (whole || from !== ''),
    retry: false,
  });
  const cells = count.data?.cells ?? 0;
  const run = async () => {
    setWorking(true);
    setError(null);
    try {
      const done = await call('imports.replace', { path: { import: id }, body: { ...body, dry_run: false, ...(count.data ? { revision: count.data.revision } : {}) } });
      toast(t('replaced', { count: done.cells }));
      onReplaced(done.revision);
      onClose();
    } catch (problem) {
      setError(problem);
      if (isCallError(problem) && problem.status === 412) void count.refetch();
    } finally {
      setWorking(false);
    }
  };
  return (
    <Modal opened onClose={onClose} title={t('replaceTitle')} withCloseButton={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (cells > 0 && !working) void run();
        }}
      >
        <div className={styles.fields}>
          <label htmlFor="replace-from">{t('find_')}</label>
          <TextInput id="replace-from" value={from} onChange={(event) => setFrom(event.target.value)} spellCheck={false} />
          <label htmlFor="replace-to">{t('with')}</label>
          <TextInput id="replace-to" data-autofocus value={to} onChange={(event) => setTo(event.target.value)} spellCheck={false} />
          <label htmlFor="replace-column">{t('inColumn')}</label>
          <Select id="replace-column" data={[...new Set(editable.map((one) => one.source))]} value={column} onChange={(next) => next && setColumn(next)} allowDeselect={false} searchable={editable.length > 12} />
          {filtered ? (
            <>
              <label htmlFor="replace-rows">{t('inRows')}</label>
              <Select id="replace-rows" data={[{ value: 'all', label: t('allRows', { count: total }) }, { value: 'these', label: t('theseRows', { count: matching }) }]} value={these ? 'these' : 'all'} onChange={(next) => setThese(next === 'these')} allowDeselect={false} />
            </>
          ) : null}
        </div>
        <Checkbox label={t('wholeCell')} checked={whole} onChange={(event) => setWhole(event.currentTarget.checked)} />
        {count.data?.examples.length ? (
          <div className="small dim">
            {t('examples')}: {count.data.examples.slice(0, 3).map((one) => <div key={one.row} className="num">{t('panel', { row: one.row })}: <span className={styles.was}>{visible(one.old)}</span> <b>{visible(one.new)}</b></div>)}
          </div>
        ) : null}
        {error || count.error ? <ProblemView error={error ?? count.error} compact /> : null}
        <div className="row wrap" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={onClose}>{t('goBack')}</Button>
          <Button look="main" type="submit" pending={working} disabledBecause={count.isFetching && !count.data ? t('counting') : cells === 0 ? t('replaceNone') : null} onClick={() => undefined}>{cells > 0 ? t('replaceDo', { count: cells }) : t('replace')}</Button>
        </div>
      </form>
    </Modal>
  );
}
