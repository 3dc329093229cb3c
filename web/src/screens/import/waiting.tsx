import type { Import } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { formatWhen } from '@/format/times';
import { Link } from '@/router/link';
import { t as ops } from '@/strings/ops';

const kAskAgain = 5_000;

/** Why an import does not go on, in a sentence for each thing that holds it back, with the way to what changes it. */
export function Waiting({ job }: { job: Import }) {
  const waits = job.status === 'queued' || job.status === 'paused';
  const why = useCall('queue.why', { path: { import: job.job_id } }, { enabled: waits, refetchInterval: kAskAgain });
  const reasons = waits && why.data?.waiting ? why.data.reasons : [];
  if (reasons.length === 0) return job.waits_for ? <div className="strip amber" role="status">{job.waits_for}</div> : null;
  return (
    <div className="strip amber" role="status">
      <span className="stack grow">
        {reasons.map((reason) => (
          <span key={reason.code}>
            {reason.sentence}
            {reason.until ? <span className="faint small"> {ops('until', { time: formatWhen(reason.until) })}</span> : null}
            {reason.link && reason.link !== window.location.pathname ? <> <Link to={reason.link}>{ops('open')}</Link></> : null}
          </span>
        ))}
      </span>
    </div>
  );
}
