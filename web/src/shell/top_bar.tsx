import { useIsFetching } from '@tanstack/react-query';
import { IconSearch } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useConnection } from '@/api/live';
import type { Me } from '@/api/me';
import { useNow } from '@/components/age';
import { smallIcon } from '@/components/icons';
import { formatAge } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/shell';
import { AccountMenu } from './account_menu';
import { useHeld } from './hold';
import { useHead } from './path_store';
import styles from './shell.module.css';

function Connection() {
  const { connection, updatedAt } = useConnection();
  const held = useHeld();
  const now = useNow();
  const { note } = useHead();
  if (note) return <span className={styles.live} data-state={note.state} role="status">{note.text}</span>;
  if (held) return <span className={styles.live} data-state="old">{t('held')}</span>;
  if (connection === 'live') return <span className={styles.live}>{t('live')}</span>;
  if (connection === 'reconnecting') return <span className={styles.live} data-state="old">{t('reconnecting')}</span>;
  if (connection === 'idle') return null;
  const age = formatAge(updatedAt, now);
  return <span className={styles.live} data-state="old">{age === 'now' ? t('updatedNow') : t('updated', { age })}</span>;
}

interface Props {
  me: Me;
  onSearch: () => void;
  onHelp: () => void;
}

/** Path, search, connection, help, account. */
export function TopBar({ me, onSearch, onHelp }: Props) {
  const { crumbs } = useHead();
  const fetching = useIsFetching({ predicate: (query) => query.state.data === undefined }) > 0;
  return (
    <header className={styles.top}>
      <nav className={styles.crumbs} aria-label={t('path')}>
        {crumbs.map((crumb, at) => (
          <Fragment key={`${at} ${crumb.label}`}>
            {at > 0 ? <i aria-hidden="true">/</i> : null}
            {at < crumbs.length - 1 && crumb.to ? <Link to={crumb.to}>{crumb.label}</Link> : <b className="cut" aria-current={at === crumbs.length - 1 ? 'page' : undefined}>{crumb.label}</b>}
          </Fragment>
        ))}
      </nav>
      <button type="button" className={styles.find} onClick={onSearch}><IconSearch {...smallIcon} /><span>{t('search')}</span><kbd>Ctrl K</kbd></button>
      <Connection />
      <button type="button" className={styles.help} onClick={onHelp}><kbd aria-hidden="true">?</kbd><span className="hidden">{t('keyHelp')}</span></button>
      <AccountMenu me={me} />
      {fetching ? <div className={styles.fetching} /> : null}
    </header>
  );
}
