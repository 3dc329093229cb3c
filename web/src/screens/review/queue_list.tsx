import { useEffect, useRef } from 'react';
import type { ReviewItem } from '@/api/schema';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { t } from '@/strings/review';
import styles from './review.module.css';

interface Props {
  items: ReviewItem[];
  current: ReviewItem | undefined;
  onChoose: (item: ReviewItem) => void;
  more: (() => void) | null;
}

/** Names to decide, with what they are and how good the best candidate is. */
export function QueueList({ items, current, onChoose, more }: Props) {
  const here = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest' });
  }, [current?.id]);
  return (
    <section className="card" aria-label={t('queue')}>
      <header><h2>{t('open')}</h2><span className="faint num">{formatNumber(items.length)}{more ? '+' : ''}</span></header>
      <div className={styles.scroll}>
        {items.map((item) => (
          <button key={item.id} type="button" ref={item.id === current?.id ? here : null} className={styles.item} aria-current={item.id === current?.id ? 'true' : undefined} onClick={() => onChoose(item)}>
            <b>{visible(item.name)}</b><span className="faint small">{item.table}</span><i>{Math.round(item.confidence)}</i>
          </button>
        ))}
        {more ? <div className="pad"><button type="button" className="linkBtn small" onClick={more}>{t('more')}</button></div> : null}
      </div>
    </section>
  );
}
