import { Fragment } from 'react';
import type { ReviewItem } from '@/api/schema';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { t } from '@/strings/review';
import styles from './review.module.css';

// A link only where a browser would open a page; anything else is text.
function Value({ text }: { text: string }) {
  return /^https?:\/\//i.test(text) ? <a href={text} target="_blank" rel="noreferrer noopener">{visible(text)}</a> : visible(text);
}

/** The record as the file has it: the name, where it stands, and what else the row says. */
export function AsFound({ item }: { item: ReviewItem }) {
  const record = Object.entries(item.record).filter(([column]) => column !== item.column);
  return (
    <section className="card" aria-label={t('asFound')}>
      <header><h2>{t('asFound')}</h2><span className="faint">{item.table}</span></header>
      <div className={`${styles.scroll} ${styles.found}`} tabIndex={0} role="region" aria-label={t('asFound')}>
        <p className={styles.quote}>{t('names', { column: item.column, name: visible(item.name) })}</p>
        <p className="small dim">
          {t('row', { row: item.row, line: item.line })} <Link to={`/imports/${item.import.job_id}/rows?row=${item.row}`}>{visible(item.import.file_name || item.import.slug)}</Link>
          {item.batch ? <> · {t('batch')} <Link to={`/batches/${encodeURIComponent(item.batch)}`}>{item.batch}</Link></> : null}
        </p>
        {item.blocks ? <p className="amber">{t('blocks')}</p> : null}
        {item.ambiguous ? <p className="amber">{t('ambiguous')}</p> : null}
        {item.send_error ? <p className="red">{t('sendError', { why: item.send_error })}</p> : null}
        <h3>{t('evidence')}</h3>
        {record.length === 0 ? <p className="faint">{t('fieldEmpty')}</p> : (
          <dl className="kv">{record.map(([column, text]) => <Fragment key={column}><dt>{column}</dt><dd><Value text={text} /></dd></Fragment>)}</dl>
        )}
        <p className="small dim">{t('quality')}: {t('qualityTier', { tier: t(item.quality.tier), score: formatNumber(Math.round(item.quality.score * 100)) })}</p>
      </div>
    </section>
  );
}
