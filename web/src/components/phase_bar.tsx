import { IconCheck, IconLoader2 } from '@tabler/icons-react';
import { phases as t } from '@/strings/general';
import { smallIcon } from './icons';
import styles from './phase_bar.module.css';

export type PhaseName = 'upload' | 'plan' | 'analyse' | 'settle' | 'review' | 'process' | 'finalise';

export interface Phase {
  name: PhaseName;
  state: 'done' | 'now' | 'waiting';
  /** 0 to 1 of this phase */
  share?: number;
  /** a duration, rows of rows, who approved: at most two lines */
  facts?: (string | null)[];
}

// Shares of the width, by how long a phase usually takes.
const widths: Record<PhaseName, number> = { upload: 1, plan: 0.8, analyse: 1.5, settle: 0.8, review: 1.1, process: 2.6, finalise: 0.8 };

/** Fixed segments: done green, now blue, waiting empty. Phases that a job skips are absent. */
export function PhaseBar({ phases }: { phases: Phase[] }) {
  return (
    <section className="card" aria-label={t('label')}>
      <ol className={styles.phases} style={{ gridTemplateColumns: phases.map((phase) => `${widths[phase.name]}fr`).join(' ') }}>
        {phases.map((phase) => (
          <li key={phase.name} className={`${styles.phase} ${styles[phase.state]}`} aria-current={phase.state === 'now' ? 'step' : undefined}>
            <div className={styles.track}><i style={{ width: `${phase.state === 'done' ? 100 : phase.state === 'now' ? Math.min(Math.max(phase.share ?? 0, 0), 1) * 100 : 0}%` }} /></div>
            <div className={styles.name}>
              {phase.state === 'done' ? <IconCheck {...smallIcon} /> : phase.state === 'now' ? <IconLoader2 {...smallIcon} className="turning" /> : null}
              {t(phase.name)}
            </div>
            {(phase.facts ?? []).map((fact, at) => (fact ? <small key={at}>{fact}</small> : null))}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** A job's 0 to 100 as a thin bar, for lists. */
export function ProgressBar({ percent, hue = 'blue', label }: { percent: number; hue?: string; label: string }) {
  return (
    <div className="bar" role="progressbar" aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100} aria-label={label}>
      <i className={styles.moving} style={{ width: `${percent}%`, background: `var(--${hue}-fill)` }} />
    </div>
  );
}
