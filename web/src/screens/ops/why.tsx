import { useCall } from '@/api/use_call';
import { Answered } from '@/components/states';
import { formatWhen } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/ops';
import styles from './ops.module.css';

/** One sentence for each thing that holds a task or an import back, with the way to it. */
export function Why({ id }: { id: string }) {
  const query = useCall('queue.why', { path: { import: id } }, { refetchInterval: 5_000 });
  return (
    <section className={`card ${styles.why}`} aria-label={t('why')}>
      <header><h2>{t('why')}</h2></header>
      <Answered query={query} compact heights={[28]}>
        {(why) => (
          <ul>
            {why.reasons.length === 0 ? <li>{t(why.waiting ? 'whyNone' : 'whyRuns')}</li> : null}
            {why.reasons.map((reason) => (
              <li key={reason.code}>
                <span>{reason.sentence}</span>
                {reason.until ? <span className="faint small">{t('until', { time: formatWhen(reason.until) })}</span> : null}
                {reason.link ? <Link className="btn smallBtn" to={reason.link}>{t('open')}</Link> : null}
              </li>
            ))}
          </ul>
        )}
      </Answered>
    </section>
  );
}
