import { IconAlertCircle, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import type { Import, TaskMap } from '@/api/schema';
import { smallIcon } from '@/components/icons';
import { Segmented } from '@/components/segmented';
import { Answered, Empty } from '@/components/states';
import { formatNumber } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { useSearch, withSearch, navigate } from '@/router/router';
import { Link } from '@/router/link';
import { status as statusWords } from '@/strings/general';
import { t } from '@/strings/import_page';
import { HeatMap, type ColourBy, type Square } from './heat_map';
import styles from './import.module.css';

interface Query {
  data: TaskMap | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

const legends = { errors: [['h0', '0'], ['h1', '1–99'], ['h2', '100–999'], ['h3', '1,000+']] } as const;

function Legend({ squares, by }: { squares: Square[]; by: ColourBy }) {
  if (by === 'errors') return <span className={`${styles.legend} right`}>{legends.errors.map(([look, word]) => <span key={look}><i className={`sq ${styles[look]}`} />{word}</span>)}</span>;
  if (by === 'duration') return <span className={`${styles.legend} right`}><span>{formatDuration(Math.max(...squares.map((one) => one.duration_ms ?? 0), 0))}</span></span>;
  const count = (fits: (one: Square) => boolean) => squares.filter(fits).length;
  const parts = [
    [count((one) => one.status === 'succeeded'), 'done', styles.done],
    [count((one) => one.status === 'running'), 'running', styles.runs],
    [count((one) => one.status === 'pending' && one.attempts > 0), 'retrying', 'amber'],
    [count((one) => one.status === 'failed'), 'failed', 'red'],
    [count((one) => one.status === 'cancelled'), 'cancelled', styles.h0],
    [count((one) => one.status === 'pending' && one.attempts === 0), 'waiting', 'todo'],
  ] as const;
  return <span className={`${styles.legend} right`}>{parts.filter(([number]) => number > 0).map(([number, word, look]) => <span key={word}><i className={`sq ${look}`} />{formatNumber(number)} {t(word)}</span>)}</span>;
}

const stateWord = (status: string): string => (statusWords.has(status) ? statusWords(status) : status);

function AsTable({ job, map }: { job: Import; map: TaskMap }) {
  const rows = [...map.chunks.map((one) => ({ one, name: t('chunk', { number: one.number }) })), ...map.buckets.map((one) => ({ one, name: t('bucket', { number: one.number }) }))];
  return (
    <div className={styles.table} tabIndex={0} role="group" aria-label={t('tasks')}>
      <table>
        <thead><tr><th>{t('place')}</th><th>{t('state')}</th><th className="n">{t('rows')}</th><th className="n">{t('failed')}</th><th className="n">{t('duration')}</th></tr></thead>
        <tbody>
          {rows.map(({ one, name }) => (
            <tr key={name}><td>{one.task_id !== null ? <Link to={withSearch({ task: String(one.task_id) }, `/imports/${job.job_id}/tasks`, '')}>{name}</Link> : name}</td><td>{stateWord(one.status)}</td><td className="n">{formatNumber(one.rows)}</td><td className="n">{formatNumber(one.failed)}</td><td className="n">{one.duration_ms !== null ? formatDuration(one.duration_ms) : ''}</td></tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Maps({ job, map, by }: { job: Import; map: TaskMap; by: ColourBy }) {
  const open = (one: Square) => one.task_id !== null && navigate(withSearch({ task: String(one.task_id) }, `/imports/${job.job_id}/tasks`, ''));
  const word = t(`by_${by}`);
  const broken = [...map.buckets, ...map.chunks].find((one) => one.status === 'failed') ?? [...map.buckets, ...map.chunks].find((one) => one.status === 'pending' && one.attempts > 0);
  const size = map.group_size;
  const name = (one: Square) => (map.chunks.includes(one) ? t('chunk', { number: one.number }) : t('bucket', { number: one.number }));
  return (
    <div className={styles.maps}>
      {map.chunks.length > 0 ? (
        <>
          <div className="row small wrap"><b>{t('chunks', { count: map.chunks.length * size })}</b><span className="faint">{t('inFileOrder', { by: word })}</span><Legend squares={map.chunks} by={by} /></div>
          <HeatMap squares={map.chunks} by={by} columns={44} height={9} name={name} label={t('mapLabel', { what: t('chunks', { count: map.chunks.length }), by: word })} onOpen={open} />
        </>
      ) : null}
      {map.buckets.length > 0 ? (
        <>
          <div className="row small wrap"><b>{t('buckets', { count: map.buckets.length * size })}</b><Legend squares={map.buckets} by={by === 'errors' ? 'state' : by} /></div>
          <HeatMap squares={map.buckets} by={by === 'errors' ? 'state' : by} columns={32} height={11} name={name} label={t('mapLabel', { what: t('buckets', { count: map.buckets.length }), by: word })} onOpen={open} />
        </>
      ) : null}
      {size > 1 ? <p className="caption faint">{t('grouped', { count: size })}</p> : null}
      {broken ? (
        <div className="row small">
          <span className={broken.status === 'failed' ? 'red' : 'amber'}>{broken.status === 'failed' ? <IconAlertCircle {...smallIcon} /> : <IconRefresh {...smallIcon} />}</span>
          <button type="button" className="linkBtn cut" onClick={() => open(broken)}>{`${name(broken)}: ${broken.status === 'failed' ? t('failed') : t('retrying')}, ${t('attempt', { count: broken.attempts })}`}</button>
        </div>
      ) : null}
    </div>
  );
}

/** Chunks and buckets at a glance, or as a table. */
export function TasksCard({ job, query }: { job: Import; query: Query }) {
  const [search, change] = useSearch();
  const by = (['state', 'errors', 'duration'] as const).find((one) => one === search.get('colour')) ?? 'errors';
  const [table, setTable] = useState(false);
  return (
    <section className="card" aria-label={t('tasks')}>
      <header>
        <h2>{t('tasks')}</h2>
        <span className="right row">
          <button type="button" className="linkBtn small" onClick={() => setTable(!table)}>{table ? t('showMap') : t('showTable')}</button>
          <Segmented label={t('colourBy')} value={by} options={[{ value: 'state', label: t('byState') }, { value: 'errors', label: t('byErrors') }, { value: 'duration', label: t('byDuration') }]} onChange={(next) => change({ colour: next === 'errors' ? null : next })} />
        </span>
      </header>
      <Answered query={query} heights={[60, 60]} compact>
        {(map) => (map.chunks.length + map.buckets.length === 0 ? <Empty>{t('noTasks')}</Empty> : table ? <AsTable job={job} map={map} /> : <Maps job={job} map={map} by={by} />)}
      </Answered>
    </section>
  );
}
