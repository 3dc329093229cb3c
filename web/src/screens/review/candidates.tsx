import { IconCheck } from '@tabler/icons-react';
import type { ReviewItem } from '@/api/schema';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { formatNumber } from '@/format/numbers';
import { t } from '@/strings/review';
import styles from './review.module.css';

export const kMostCandidates = 5;
const kLeast = 50;

/** Those that can be chosen: the best five above 50. */
export const choices = (item: ReviewItem) => item.candidates.filter((one) => one.confidence >= kLeast).toSorted((a, b) => b.confidence - a.confidence).slice(0, kMostCandidates);

interface Props {
  item: ReviewItem;
  mayDecide: boolean;
  onPick: (entity: string) => void;
  onCreate: () => void;
  onReject: () => void;
  onSkip: () => void;
}

/** Up to five entities that may be meant, each with its number, and the ways out. */
export function Candidates({ item, mayDecide, onPick, onCreate, onReject, onSkip }: Props) {
  const list = choices(item);
  return (
    <section className="card" aria-label={t('candidates')}>
      <header><h2>{t('candidates')}</h2><span className="faint num">{list.length}</span></header>
      <div className={styles.scroll}>
        {list.length === 0 ? <Empty>{t('noCandidates')}</Empty> : null}
        {list.map((one, at) => (
          <button key={one.id} type="button" className={styles.candidate} disabled={!mayDecide} onClick={() => onPick(one.id)}>
            <kbd>{at + 1}</kbd><b>{visible(one.name)}</b><span className={styles.score}>{formatNumber(Math.round(one.confidence))}</span>
            <span className={styles.reasons}><span className="mono faint">{visible(one.id)}</span>{one.reasons.map((reason) => <span key={reason}><IconCheck {...smallIcon} className="green" />{visible(reason)}</span>)}</span>
          </button>
        ))}
      </div>
      {mayDecide ? (
        <div className={styles.actions}>
          <Button onClick={onCreate}><kbd>n</kbd>{t('newEntity')}</Button>
          <Button onClick={onReject}><kbd>x</kbd>{t('reject')}</Button>
          <Button onClick={onSkip}><kbd>s</kbd>{t('skip')}</Button>
        </div>
      ) : <p className="pad dim small">{t('lookOnly')}</p>}
    </section>
  );
}
