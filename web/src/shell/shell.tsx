import { Suspense, lazy, useState, type ReactNode } from 'react';
import type { Me } from '@/api/me';
import { ErrorBoundary } from '@/components/error_boundary';
import { Loading } from '@/components/states';
import { useKeys, type Binding } from '@/keys/keys';
import { navigate, usePath } from '@/router/router';
import { t } from '@/strings/shell';
import { DropAnywhere } from './drop_anywhere';
import { toggleHold } from './hold';
import { navigationFor } from './navigation';
import { SideBar } from './side_bar';
import { switchTheme } from './switch_theme';
import { TopBar } from './top_bar';
import styles from './shell.module.css';

// Dialogs come when they are first opened.
const HelpDialog = lazy(() => import('@/keys/help_dialog').then((module) => ({ default: module.HelpDialog })));
const Palette = lazy(() => import('./palette').then((module) => ({ default: module.Palette })));

function focusFilter(): void {
  document.querySelector<HTMLElement>('[data-filter]')?.focus();
}

/** Navigation, top bar and keys around every page. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const path = usePath();
  const [open, setOpen] = useState<'search' | 'help' | null>(null);
  const places: Binding[] = navigationFor(me)
    .flatMap((group) => group.places)
    .flatMap((place) => (place.key ? [{ keys: `g ${place.key}`, label: place.label, run: () => navigate(place.to) }] : []));
  useKeys(t('keysEverywhere'), [
    { keys: 'Ctrl+k', label: t('searchTitle'), run: () => setOpen('search'), whileTyping: true },
    { keys: '/', label: t('filter'), run: focusFilter },
    { keys: '?', label: t('keyHelp'), run: () => setOpen('help') },
    ...places,
    ...(me.may.includes('imports.create') ? [{ keys: 'n', label: t('newImport'), run: () => navigate('/new') }] : []),
    { keys: 'h', label: t('hold'), run: toggleHold },
    { keys: 't', label: t('switchTheme'), run: switchTheme },
  ]);
  return (
    <div className={styles.app}>
      <a className={styles.skip} href="#page">{t('skip')}</a>
      <SideBar me={me} path={path} />
      <div className={styles.main}>
        <TopBar me={me} onSearch={() => setOpen('search')} onHelp={() => setOpen('help')} />
        <main id="page" className={styles.content} tabIndex={-1}>
          <ErrorBoundary resetKey={path}>
            <Suspense fallback={<div className="page"><Loading heights={[40, 60, 240]} /></div>}>{children}</Suspense>
          </ErrorBoundary>
        </main>
      </div>
      <Suspense fallback={null}>
        {open === 'search' ? <Palette me={me} onClose={() => setOpen(null)} /> : null}
        {open === 'help' ? <HelpDialog onClose={() => setOpen(null)} /> : null}
      </Suspense>
      {me.may.includes('imports.create') ? <DropAnywhere /> : null}
    </div>
  );
}
