import { usePages } from '@/api/use_pages';
import { Button } from '@/components/button';
import { Answered, Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { formatExact, formatWhen } from '@/format/times';
import { t } from '@/strings/batches';
import styles from './batches.module.css';

const shownData = (data: unknown): string => (data === null || data === undefined || (typeof data === 'object' && Object.keys(data).length === 0) ? '' : visible(JSON.stringify(data)));

/** Its history, which nobody can change. */
export function Events({ id }: { id: string }) {
  const { query, items, more, loadingMore } = usePages('batches.events', { path: { batch: id }, query: { limit: 200 } }, { every: 5_000 });
  return (
    <section className="card" aria-label={t('events')}>
      <header><h2>{t('events')}</h2></header>
      <Answered query={query} compact>
        {() => items.length === 0 ? <Empty>{t('noEvents')}</Empty> : (
          <ol className={styles.timeline}>
            {items.map((event) => (
              <li key={event.id}>
                <time dateTime={event.created_at} title={formatExact(event.created_at)}>{formatWhen(event.created_at)}</time>
                <span><b>{event.event_type.replaceAll('_', ' ').toLowerCase()}</b> <span className="dim">{event.actor ? t('by', { who: event.actor }) : ''}</span> <span className="mono small faint" style={{ overflowWrap: 'anywhere' }}>{shownData(event.data)}</span></span>
              </li>
            ))}
          </ol>
        )}
      </Answered>
      {more ? <div className="pad"><Button small pending={loadingMore} onClick={more}>{t('more')}</Button></div> : null}
    </section>
  );
}
