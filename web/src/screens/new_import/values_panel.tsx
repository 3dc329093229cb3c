import { Select } from '@mantine/core';
import { useState } from 'react';
import type { Draft } from '@/api/schema';
import { Button } from '@/components/button';
import { Segmented } from '@/components/segmented';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { t } from '@/strings/match';
import { openRows, openValues, type Decision, type Target } from './matching';
import styles from './new_import.module.css';

type Item = NonNullable<Target['values']>['items'][number];

// Choices that are no value of the list; the file's own text cannot be one of them.
const kFail = '\u0000fail';
const kEmpty = '\u0000empty';

const choiceOf = (decision: Decision | undefined): string | null => {
  if (!decision) return null;
  if ('use' in decision) return decision.use;
  return 'empty' in decision ? kEmpty : kFail;
};

function decisionOf(choice: string): Decision {
  if (choice === kFail) return { fail: true };
  return choice === kEmpty ? { empty: true } : { use: choice };
}

interface RowProps {
  item: Item;
  target: Target;
  decision: Decision | undefined;
  onDecide: (decision: Decision | null) => void;
}

function ValueRow({ item, target, decision, onDecide }: RowProps) {
  const asks = item.target === null;
  const open = asks && !decision;
  const options = [
    ...target.values!.accepted.map((value) => ({ value, label: visible(value) })),
    { value: kFail, label: t('letFail') },
    ...(target.required ? [] : [{ value: kEmpty, label: t('leaveEmpty') }]),
  ];
  return (
    <tr className={open ? styles.open : undefined}>
      <td title={visible(item.text)}>{open ? <b>{visible(item.text)}</b> : visible(item.text)}</td>
      <td className="n">{formatNumber(item.rows)}</td>
      <td>
        {asks ? (
          <Select className={open ? styles.ask : ''} aria-label={t('valueFor', { text: visible(item.text) })} placeholder={item.similar ? visible(item.similar) : t('chooseValue')} data={options} value={choiceOf(decision)} searchable={options.length > 8} allowDeselect={false} onChange={(choice) => choice !== null && onDecide(decisionOf(choice))} />
        ) : (
          visible(item.target ?? '')
        )}
      </td>
      <td>
        {!asks ? <span className="badge green">{t('exact')}</span> : decision ? (
          <button type="button" className="linkBtn" onClick={() => onDecide(null)}>{t('undo')}</button>
        ) : item.similar ? (
          <Button small onClick={() => onDecide({ use: item.similar! })}>{t('use')}</Button>
        ) : (
          <span className="amber">{t('noMatch')}</span>
        )}
      </td>
    </tr>
  );
}

interface Props {
  target: Target;
  source: string;
  values: Draft['values'];
  onDecide: (text: string, decision: Decision | null) => void;
}

/** Decide per value, not per row: the distinct values of a column with their rows, open ones first. */
export function ValuesPanel({ target, source, values, onDecide }: Props) {
  const list = target.values!;
  const open = openValues(target, values);
  const [tab, setTab] = useState<'open' | 'all'>('all');
  const decisions = values[target.data_column] ?? {};
  const shown = tab === 'open' ? list.items.filter((item) => item.target === null) : list.items;
  const rows = openRows(target, values);
  const code = list.kind === 'lookup' ? 'lookup_missing' : 'value_not_allowed';
  return (
    <aside className={`card ${styles.values}`} aria-label={t('valuesOf', { column: visible(source) })}>
      <header><h2 className="cut">{t('valuesOf', { column: visible(source) })}</h2><span className="faint num right nowrap">{t('distinct', { count: list.total })}</span></header>
      <div className={`row ${styles.valueTools}`}>
        <Segmented label={t('valuesOf', { column: visible(source) })} value={tab} onChange={setTab} options={[{ value: 'open', label: t('openTab', { count: open.length }) }, { value: 'all', label: t('allTab', { count: list.total }) }]} />
        <span className="dim small right">{t('mostFirst')}</span>
      </div>
      <table>
        <colgroup><col style={{ width: 96 }} /><col style={{ width: 56 }} /><col /><col style={{ width: 84 }} /></colgroup>
        <thead><tr><th>{t('inTheFile')}</th><th className="n">{t('rows')}</th><th>{t('goesTo')}</th><th><span className="hidden">{t('why')}</span></th></tr></thead>
        <tbody>
          {shown.map((item) => <ValueRow key={item.text} item={item} target={target} decision={decisions[item.text]} onDecide={(decision) => onDecide(item.text, decision)} />)}
        </tbody>
      </table>
      {list.total > list.items.length ? <div className="pad small dim">{t('moreValues', { count: list.total - list.items.length })}</div> : null}
      <div className={styles.consequence}><b>{t('staysOpen')}</b><br />{t.rich('staysOpenText', { code: <span className="mono">{code}</span>, count: rows })}</div>
    </aside>
  );
}
