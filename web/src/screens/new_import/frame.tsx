import { IconCheck, IconChevronLeft } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { formatClock } from '@/format/times';
import { useKeys } from '@/keys/keys';
import { Link } from '@/router/link';
import { useCrumbs, useHeadNote } from '@/shell/path_store';
import { t as general } from '@/strings/general';
import { t as imports } from '@/strings/imports';
import { t } from '@/strings/new_import';
import { stepNames, stepNumber, type StepName } from './steps';
import type { SaveState } from './use_draft';
import styles from './new_import.module.css';

const words = { file: 'stepFile', read: 'stepRead', match: 'stepMatch', preview: 'stepPreview' } as const;

function Steps({ now, reached, addressOf }: { now: StepName; reached: number; addressOf: ((step: StepName) => string) | null }) {
  return (
    <ol className={styles.steps} aria-label={t('steps')}>
      {stepNames.map((step, at) => {
        const done = stepNumber(step) < stepNumber(now);
        const body = <><i>{done ? <IconCheck {...smallIcon} /> : at + 1}</i>{t(words[step])}</>;
        const open = addressOf && step !== now && at < reached && step !== 'preview';
        return (
          <li key={step} className={`${styles.step} ${done ? styles.done : ''} ${step === now ? styles.now : ''}`} aria-current={step === now ? 'step' : undefined}>
            {open ? <Link to={addressOf(step)}>{body}</Link> : <span>{body}</span>}
          </li>
        );
      })}
    </ol>
  );
}

function noteOf(state: SaveState | null): [string | null, 'good' | 'old'] {
  switch (state?.is) {
    case 'saved':
      return [state.at ? t('saved', { time: formatClock(state.at) }) : null, 'good'];
    case 'saving':
      return [t('saving'), 'good'];
    case 'offline':
      return [t('notSaved'), 'old'];
    default:
      return [null, 'good'];
  }
}

interface Props {
  step: StepName;
  title: string;
  lead?: ReactNode;
  /** of the draft, for the top bar */
  saveState?: SaveState | null;
  /** the step that the draft had come to */
  reached?: StepName;
  addressOf?: ((step: StepName) => string) | null;
  onBack?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  footer?: ReactNode;
  children: ReactNode;
}

/** Heading, the four steps, and a footer that stays; what is in between scrolls. */
export function Frame({ step, title, lead, saveState = null, reached = step, addressOf = null, onBack, onNext, footer, children }: Props) {
  useCrumbs([{ label: imports('title'), to: '/imports' }, { label: t('title') }], `${t(words[step])} · ${t('title')}`);
  const [note, look] = noteOf(saveState);
  useHeadNote(note, look);
  useKeys(t('title'), [
    { keys: 'Alt+ArrowRight', label: t('next'), run: () => onNext?.(), whileTyping: true },
    { keys: 'Alt+ArrowLeft', label: t('previous'), run: () => onBack?.(), whileTyping: true },
  ]);
  return (
    <div className={styles.frame}>
      <div className={styles.inner}>
        <div className={styles.head}>
          <div className="grow"><h1>{title}</h1>{lead ? <p className="num dim cut">{lead}</p> : null}</div>
          <Steps now={step} reached={Math.max(stepNumber(reached), stepNumber(step))} addressOf={addressOf} />
        </div>
        {children}
      </div>
      <div className={styles.footer}>
        {onBack ? <Button icon={<IconChevronLeft {...smallIcon} />} onClick={onBack}>{general('back')}</Button> : null}
        {footer}
      </div>
    </div>
  );
}
