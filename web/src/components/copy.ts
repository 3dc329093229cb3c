import { t } from '@/strings/general';
import { toast } from './toast';

/** The old way, for addresses without https: there a page has no clipboard of its own. */
function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const box = document.createElement('textarea');
  box.value = text;
  box.style.position = 'fixed';
  box.style.opacity = '0';
  // Inside an open dialog, which would take the focus back from elsewhere.
  (before?.closest('[role="dialog"]') ?? document.body).append(box);
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  if (before instanceof HTMLElement) before.focus({ preventScroll: true });
  return done;
}

/** Puts text on the clipboard and says so, or that it could not. */
export async function copyText(text: string, said: string = t('copied')): Promise<void> {
  const written = navigator.clipboard ? await navigator.clipboard.writeText(text).then(() => true, () => false) : false;
  toast(written || copyBySelection(text) ? said : t('notCopied'));
}
