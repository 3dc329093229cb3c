import { IconAlertCircle, IconPlugConnectedX } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { isCallError, isUnreachable } from '@/api/problem';
import { Link } from '@/router/link';
import { t } from '@/strings/general';
import { Button } from './button';
import { copyText } from './copy';
import { icon } from './icons';
import styles from './states.module.css';

const kPatience = 150;

/** Nothing for 150 ms, then grey blocks with the heights of what will stand there. */
export function Loading({ heights = [36, 36, 36, 36] }: { heights?: number[] }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), kPatience);
    return () => window.clearTimeout(timer);
  }, []);
  return (
    <div className={styles.loading} role="status" aria-label={t('loading')}>
      {heights.map((height, at) => <div key={at} className={late ? styles.block : undefined} style={{ height }} />)}
    </div>
  );
}

/** What would stand here, and the one thing to do. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return <div className={styles.empty}><p>{children}</p>{action}</div>;
}

/** An error in words, where it happened; the rest of the page lives. */
export function ProblemView({ error, retry, compact }: { error: unknown; retry?: (() => void) | undefined; compact?: boolean }) {
  const lost = isUnreachable(error);
  const problem = isCallError(error) ? error.problem : null;
  const requestId = isCallError(error) ? error.requestId : null;
  const Picture = lost ? IconPlugConnectedX : IconAlertCircle;
  return (
    <div className={`${styles.problem} ${compact ? styles.compact : ''}`} role="alert">
      <Picture {...icon} />
      <div className="grow">
        <b>{lost ? t('unreachableTitle') : sentence(problem?.detail ?? (error instanceof Error ? error.message : String(error)))}</b>
        <p className="dim">{lost ? t('unreachableDetail') : problem?.hint ? sentence(problem.hint) : null}</p>
        {requestId ? (
          <button type="button" className={`linkBtn caption mono ${styles.request}`} onClick={() => copyText(requestId)}>{t('requestId', { id: requestId })}</button>
        ) : null}
      </div>
      {retry ? <Button small onClick={retry}>{t('tryAgain')}</Button> : null}
    </div>
  );
}

function sentence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed) return '';
  const begun = trimmed[0]!.toUpperCase() + trimmed.slice(1);
  return /[.?!…”"')]$/.test(begun) ? begun : `${begun}.`;
}

/** For addresses that lead nowhere, and for other people's things. */
export function NotFound() {
  return (
    <div className="page">
      <h1>{t('notFoundTitle')}</h1>
      <p className="dim">{t('notFoundDetail')}</p>
      <p><Link to="/imports">{t('toImports')}</Link></p>
    </div>
  );
}

interface Query<T> {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/** One call's answer on the page: blocks while it loads, the problem when it fails, a plain page when there is nothing. */
export function Answered<T>({ query, heights, children, compact }: { query: Query<T>; heights?: number[]; children: (data: T) => ReactNode; compact?: boolean }) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) {
    if (isCallError(query.error) && query.error.status === 404 && !compact) return <NotFound />;
    return <div className="pad"><ProblemView error={query.error} retry={() => void query.refetch()} compact={compact ?? false} /></div>;
  }
  return <Loading {...(heights ? { heights } : {})} />;
}
