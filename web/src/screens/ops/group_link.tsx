import { shortId } from '@/format/cells';
import { Link } from '@/router/link';

const kUuid = /[0-9a-f]{8}-[0-9a-f-]{27}/;

/** What a task belongs to: an import by its link, anything else by its name. */
export function GroupLink({ group }: { group: string | null }) {
  const id = group?.match(kUuid)?.[0];
  if (id) return <Link className="mono" to={`/imports/${id}`}>{shortId(id)}</Link>;
  return <span className="mono">{group ?? ''}</span>;
}
