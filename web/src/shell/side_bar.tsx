import { IconPlus } from '@tabler/icons-react';
import type { Me } from '@/api/me';
import { useCall } from '@/api/use_call';
import { icon } from '@/components/icons';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { usePath } from '@/router/router';
import { t } from '@/strings/shell';
import { Logo } from './logo';
import { navigationFor, placeOf, type Place } from './navigation';
import styles from './shell.module.css';

const kCountsEvery = 10_000;

type Counts = Record<NonNullable<Place['count']>, number>;

function useCounts(me: Me): { counts: Counts; foot: string | null } {
  const imports = useCall('imports.counts', {}, { refetchInterval: kCountsEvery });
  const overview = useCall('overview.show', {}, { refetchInterval: kCountsEvery, enabled: me.may.includes('overview.show') });
  const nodes = overview.data?.nodes.length;
  return {
    counts: {
      imports: imports.data?.running ?? 0,
      review: imports.data?.waiting_for_review ?? 0,
      deadLetters: overview.data?.figures.dead_letters ?? 0,
    },
    foot: overview.data && nodes !== undefined ? `${t('nodesFoot', { count: nodes })}, ${t('slotsFoot', { count: overview.data.figures.slots })}` : null,
  };
}

function Count({ of, counts }: { of: Place['count']; counts: Counts }) {
  if (!of || !counts[of]) return null;
  const look = of === 'deadLetters' ? styles.hot : of === 'review' ? styles.ask : '';
  return <b className={look}>{formatNumber(counts[of])}</b>;
}

/** Three groups of places; below 1400 px a rail of icons, on a phone a row at the bottom. */
export function SideBar({ me, path }: { me: Me; path: string }) {
  const groups = navigationFor(me);
  const { counts, foot } = useCounts(me);
  const here = usePath() === '/new' || path.startsWith('/new/') ? '/imports' : placeOf(path, groups)?.to;
  return (
    <nav className={styles.side} aria-label={t('navigation')}>
      <div className={styles.brand}>
        <Logo />
        <span className={styles.name}>lade</span>
        <span className={`${styles.company} cut`} title={me.company.name}>{me.company.name}</span>
      </div>
      {me.may.includes('imports.create') ? (
        <Link to="/new" className={`btn main ${styles.new}`} title={t('newImport')}><IconPlus {...icon} /><span>{t('newImport')}</span></Link>
      ) : null}
      <div className={styles.groups}>
        {groups.map((group) => (
          <section key={group.title} aria-label={group.title}>
            <h3>{group.title}</h3>
            {group.places.map((place) => (
              <Link key={place.to} to={place.to} className={styles.item} aria-current={here === place.to ? 'page' : undefined} title={place.label}>
                <place.icon {...icon} /><span>{place.label}</span><Count of={place.count} counts={counts} />
              </Link>
            ))}
          </section>
        ))}
      </div>
      {foot ? <div className={`${styles.foot} num`}>{foot}</div> : null}
    </nav>
  );
}
