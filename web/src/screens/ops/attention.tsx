import { IconAlertCircle, IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import type { Overview } from '@/api/schema';
import { Age } from '@/components/age';
import { icon } from '@/components/icons';
import { Link } from '@/router/link';
import { t } from '@/strings/ops';
import styles from './ops.module.css';

type One = Overview['attention'][number];

/** The first sentence says what is wrong, the others what comes of it. */
function split(sentence: string): [string, string] {
  const end = sentence.search(/[.:] (?=\S)/);
  return end < 0 ? [sentence, ''] : [sentence.slice(0, end + 1), sentence.slice(end + 1)];
}

function Line({ one }: { one: One }) {
  const [what, rest] = split(one.sentence);
  const wrong = one.severity === 'error';
  const Picture = wrong ? IconAlertCircle : IconAlertTriangle;
  const label = `open_${one.code}`;
  return (
    <li className={styles.line}>
      <Picture {...icon} className={wrong ? 'red' : 'amber'} />
      <p><b>{what}</b>{rest}</p>
      {one.since ? <span className="small faint nowrap"><Age time={one.since} suffix=" ago" /></span> : null}
      {one.link ? <Link className="btn smallBtn" to={one.link}>{t.has(label) ? t(label) : t('open')}</Link> : null}
    </li>
  );
}

/** At most five sentences, worst first, each with one thing to do. */
export function Attention({ list }: { list: One[] }) {
  return (
    <section className="card" aria-label={t('attention')}>
      <ul className={styles.attention} style={{ margin: 0, padding: 0, listStyle: 'none' }}>
        {list.length === 0 ? <li className={styles.line}><IconCheck {...icon} className="green" /><p>{t('nothing')}</p></li> : null}
        {list.map((one) => <Line key={`${one.code} ${one.link} ${one.sentence}`} one={one} />)}
      </ul>
    </section>
  );
}
