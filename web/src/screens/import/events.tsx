import type { Event, Import } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Answered, Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { formatClockSeconds, formatDay, formatExact } from '@/format/times';
import { Link } from '@/router/link';
import { said, t } from '@/strings/import_page';
import styles from './import.module.css';

/** An event as a sentence. */
export function sentenceOf(event: Event): string {
  const data = (typeof event.data === 'object' && event.data !== null ? event.data : {}) as Record<string, unknown>;
  const text = (name: string): string | undefined => (typeof data[name] === 'string' || typeof data[name] === 'number' ? String(data[name]) : undefined);
  const actor = event.actor || 'lade';
  const why = text('message') ?? text('error');
  if (event.event === 'failed' && why) return said('failedWhy', { why });
  if (event.event === 'rejected' && text('reason')) return said('rejectedWhy', { actor, why: visible(text('reason')!) });
  if (event.event === 'approved' && text('revision')) return said('approvedRevision', { actor, revision: text('revision')! });
  if (event.event === 'fixed' && text('row')) return said('fixedRow', { actor, row: text('row')! });
  return said.has(event.event) ? said(event.event, { actor }) : said('other', { event: event.event.replaceAll('_', ' ') });
}

const isToday = (time: string): boolean => new Date(time).toDateString() === new Date().toDateString();

function List({ events }: { events: Event[] }) {
  return (
    <div className={styles.timeline}>
      {events.map((event) => (
        <div key={event.number}><time dateTime={event.created_at} title={formatExact(event.created_at)}>{isToday(event.created_at) ? '' : `${formatDay(event.created_at)} `}{formatClockSeconds(event.created_at)}</time><span>{sentenceOf(event)}</span></div>
      ))}
    </div>
  );
}

/** What happened, newest first. */
export function EventsCard({ job, most }: { job: Import; most?: number }) {
  const query = useCall('imports.events', { path: { import: job.job_id } });
  return (
    <section className="card" aria-label={most ? t('latestEvents') : t('events')}>
      <header><h2>{most ? t('latestEvents') : t('events')}</h2>{most && query.data ? <Link className="right small" to={`/imports/${job.job_id}/events`}>{t('allEvents', { count: query.data.items.length })}</Link> : null}</header>
      <Answered query={query} heights={[20, 20, 20]} compact>
        {(page) => (page.items.length === 0 ? <Empty>{t('noEvents')}</Empty> : <div className="pad"><List events={page.items.toReversed().slice(0, most ?? page.items.length)} /></div>)}
      </Answered>
    </section>
  );
}
