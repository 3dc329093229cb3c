import { t } from '@/strings/general';
import { toast } from './toast';

/** Puts text on the clipboard and says so. */
export async function copyText(text: string, said: string = t('copied')): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast(said);
}
