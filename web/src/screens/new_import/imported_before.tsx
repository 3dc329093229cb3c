import { IconAlertTriangle } from '@tabler/icons-react';
import type { File as StoredFile, Import } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { icon } from '@/components/icons';
import { formatDay } from '@/format/times';
import { Link } from '@/router/link';
import { t } from '@/strings/new_import';

/** The newest import that was made from the same bytes, and was not taken back. */
export function useImportedBefore(file: StoredFile | null): Import | undefined {
  const files = useCall('files.list', { query: { sha256: file?.sha256 ?? '', imports: true } }, { enabled: file !== null });
  return files.data?.items
    .flatMap((one) => one.imports ?? [])
    .filter((one) => one.outcome === 'succeeded' || one.status === 'running' || one.status === 'waiting_for_review')
    .sort((a, b) => b.id - a.id)[0];
}

/** Says that this very file was imported already, before anything is read. */
export function ImportedBefore({ before, again, onAgain }: { before: Import; again: boolean; onAgain: () => void }) {
  return (
    <div className="strip amber" role="status">
      <IconAlertTriangle {...icon} />
      <span>{t('importedBefore', { day: before.created_at ? formatDay(before.created_at) : '', who: before.created_by ?? '', inserted: before.rows.inserted, updated: before.rows.updated })}</span>
      <span className="row right">
        <Link to={`/imports/${before.job_id}`}>{t('openThat')}</Link>
        <button type="button" className="btn smallBtn" aria-pressed={again} onClick={onAgain}>{t('importAgain')}</button>
      </span>
    </div>
  );
}
