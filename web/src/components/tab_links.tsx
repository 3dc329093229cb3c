import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import styles from './tab_links.module.css';

interface Tab {
  to: string;
  label: string;
  count?: number | undefined;
  here: boolean;
}

/** Parts of a page, each with its own address. */
export function TabLinks({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.to} to={tab.to} aria-current={tab.here ? 'page' : undefined}>
          {tab.label}{tab.count === undefined ? null : <em>{formatNumber(tab.count)}</em>}
        </Link>
      ))}
    </nav>
  );
}
