import { formatBytes } from '@/format/numbers';
import { t } from '@/strings/new_import';

/** Why a file cannot be taken, before a byte of it is sent; null: it can. */
export function refusalOf(file: Pick<File, 'name' | 'size'>, limit: number): string | null {
  if (/\.xls$/i.test(file.name)) return t('xls');
  if (file.size === 0) return t('empty');
  if (file.size > limit) return t('tooLarge', { size: formatBytes(file.size), limit: formatBytes(limit) });
  return null;
}
