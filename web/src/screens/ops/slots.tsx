import { formatNumber } from '@/format/numbers';
import { t } from '@/strings/ops';
import styles from './ops.module.css';

/** Taken of all, as a bar and in numbers. */
export function Slots({ running, limit, hue = 'blue' }: { running: number; limit: number | null; hue?: string }) {
  if (limit === null) return <span className={styles.slots}><span />{formatNumber(running)}</span>;
  const share = limit > 0 ? Math.min(running / limit, 1) * 100 : 0;
  return (
    <span className={styles.slots}>
      <span className="bar" aria-hidden="true"><i style={{ width: `${share}%`, background: `var(--${hue}-fill)` }} /></span>
      {t('ofLimit', { running, limit })}
    </span>
  );
}
