import { Checkbox } from '@mantine/core';
import { memo, type MouseEvent } from 'react';
import type { Import } from '@/api/schema';
import { Age } from '@/components/age';
import { LedgerBar } from '@/components/ledger';
import { ProgressBar } from '@/components/phase_bar';
import { StatusChip } from '@/components/status_chip';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { navigate } from '@/router/router';
import { t } from '@/strings/imports';
import styles from './imports.module.css';

function Progress({ one }: { one: Import }) {
  const ended = one.state === 'finished' || one.status === 'waiting_for_review';
  if (ended) return <LedgerBar rows={one.rows} />;
  if (one.waits_for) return <span className="small dim cut">{t('waitingFor', { who: one.waits_for })}</span>;
  return (
    <span className={styles.progress}>
      <ProgressBar percent={one.progress} hue={one.paused ? 'violet' : 'blue'} label={t('percent', { percent: one.progress, file: one.file })} />
      <span className="caption num faint">{one.progress} %</span>
    </span>
  );
}

interface Props {
  one: Import;
  index: number;
  current: boolean;
  selected: boolean;
  problem: string | undefined;
  onSelect: (index: number, range: boolean) => void;
}

const inControl = (event: MouseEvent): boolean => (event.target as HTMLElement).closest('a, button, input, label') !== null;

/** One import; cells change in place. */
export const Row = memo(function Row({ one, index, current, selected, problem, onSelect }: Props) {
  const to = one.status === 'waiting_for_review' ? `/imports/${one.job_id}/review` : `/imports/${one.job_id}`;
  const rows = one.rows_total ?? one.rows.read;
  return (
    <div role="row" aria-rowindex={index + 2} aria-selected={selected} data-current={current || undefined} className={styles.row} onClick={(event) => !inControl(event) && navigate(to)}>
      <span role="cell" className={styles.check}>
        <Checkbox aria-label={t('select', { file: one.file })} checked={selected} onChange={() => undefined} onClick={(event) => onSelect(index, event.shiftKey)} />
      </span>
      <span role="cell"><StatusChip status={one.status} failed={one.rows.failed || undefined} /></span>
      <span role="cell" className={styles.name}>
        <Link to={to} className="cut" title={visible(one.file)}>{one.file ? visible(one.file) : t('fileMissing')}</Link>
        {problem ? <span className={`${styles.problem} cut`} role="alert" title={problem}>{problem}</span> : one.error ? <span className="caption red cut" title={one.error.message}>{one.error.message}</span> : null}
      </span>
      <span role="cell" className={`cut ${styles.wide}`}><Link to={`/definitions/${encodeURIComponent(one.definition)}`}>{one.definition}</Link></span>
      <span role="cell" className={styles.wide}><Progress one={one} /></span>
      <span role="cell" className={`num ${styles.number}`}>{rows ? formatNumber(rows) : ''}</span>
      <span role="cell" className={`num ${styles.number} ${one.rows.failed ? 'red' : 'faint'} ${styles.wide}`}>{formatNumber(one.rows.failed)}</span>
      <span role="cell" className={styles.number}>{one.created_at ? <Age time={one.created_at} /> : null}</span>
      <span role="cell" className={`cut ${styles.wide}`} title={one.created_by ?? ''}>{one.created_by}</span>
    </div>
  );
});
