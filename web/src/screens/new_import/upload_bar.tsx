import { ProgressBar } from '@/components/phase_bar';
import { ProblemView } from '@/components/states';
import { visible } from '@/format/cells';
import { formatBytes, wholePercent } from '@/format/numbers';
import { formatDuration } from '@/format/times';
import { t } from '@/strings/new_import';
import type { UploadState } from './use_upload';
import styles from './new_import.module.css';

interface Props {
  state: Exclude<UploadState, { is: 'idle' }>;
  onStop: () => void;
  onAgain: (file: File) => void;
}

function wordsFor(state: Extract<UploadState, { is: 'sending' }>): string {
  const { sent, total, rate } = state.progress;
  if (sent >= total) return t('storing');
  const amounts = { done: formatBytes(sent), all: formatBytes(total) };
  if (rate <= 0) return state.again ? t('startingAgain') : t('uploadingStart', amounts);
  return t('uploading', { ...amounts, rate: formatBytes(rate), left: t('left', { time: formatDuration(((total - sent) / rate) * 1000) }) });
}

/** How far the file is on its way; a lost connection says when it is tried again. */
export function UploadBar({ state, onStop, onAgain }: Props) {
  const stop = <button type="button" className="linkBtn right" onClick={onStop}>{t('stop')}</button>;
  if (state.is === 'failed') return <ProblemView error={state.error} retry={() => onAgain(state.file)} />;
  const percent = state.is === 'sending' ? wholePercent(state.progress.sent, state.progress.total) : wholePercent(state.sent, state.file.size);
  return (
    <div className={`card ${styles.upload}`} role="status">
      <b className="cut">{visible(state.file.name)}</b>
      <ProgressBar percent={percent} hue={state.is === 'waiting' ? 'amber' : 'blue'} label={state.file.name} />
      <div className="row small num">
        {state.is === 'sending' ? <span>{wordsFor(state)}</span> : <span className="amber">{t('stopped', { done: formatBytes(state.sent), seconds: state.seconds })} <button type="button" className="linkBtn" onClick={() => onAgain(state.file)}>{t('tryNow')}</button></span>}
        {stop}
      </div>
    </div>
  );
}
