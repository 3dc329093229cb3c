import {
  IconAlertCircle, IconArrowBackUp, IconBan, IconCheck, IconCircleDashed, IconClock, IconClockPause, IconHandStop, IconInboxOff, IconLoader2,
  IconPlayerPause, IconRefresh, IconUserCheck, IconUserQuestion, type Icon,
} from '@tabler/icons-react';
import { status as words } from '@/strings/general';
import { formatNumber } from '@/format/numbers';
import { smallIcon } from './icons';

type Hue = 'grey' | 'blue' | 'violet' | 'amber' | 'green' | 'red' | 'outline';

const looks: Record<string, [Hue, Icon]> = {
  queued: ['grey', IconClock],
  running: ['blue', IconLoader2],
  paused: ['violet', IconPlayerPause],
  waiting_for_review: ['amber', IconUserCheck],
  succeeded: ['green', IconCheck],
  failed: ['red', IconAlertCircle],
  rejected: ['grey', IconHandStop],
  cancelled: ['grey', IconBan],
  undone: ['grey', IconArrowBackUp],
  partial: ['amber', IconAlertCircle],
  pending: ['outline', IconCircleDashed],
  deferred: ['outline', IconCircleDashed],
  retryable: ['amber', IconRefresh],
  blocked: ['amber', IconUserQuestion],
  ready_for_review: ['amber', IconUserQuestion],
  dead: ['red', IconInboxOff],
  held: ['amber', IconClockPause],
};

interface Props {
  status: string;
  /** rows that failed although the whole succeeded */
  failed?: number | undefined;
  /** more about it, such as "in 4 s" */
  note?: string | undefined;
}

/** State as icon, word and tint; the word is always there. */
export function StatusChip({ status, failed, note }: Props) {
  const [hue, Picture] = looks[status] ?? (['grey', IconCircleDashed] as const);
  return (
    <span className="row nowrap">
      <span className={`chip ${hue}`}>
        <Picture {...smallIcon} className={status === 'running' ? 'turning' : undefined} />
        {words.has(status) ? words(status) : status}
        {note ? ` ${note}` : ''}
      </span>
      {status === 'succeeded' && failed ? <span className="chip red num"><IconAlertCircle {...smallIcon} />{formatNumber(failed)}</span> : null}
    </span>
  );
}
