import { Menu } from '@mantine/core';
import { IconDots, IconTerminal2, IconWorldCode } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '@/strings/general';
import { copyText } from './copy';
import { icon, smallIcon } from './icons';

export interface Taught {
  /** `lade approve 01a1dea0…` */
  command?: string;
  request?: { method: string; path: string; body?: unknown };
}

/** A request as a line for a shell; the token is the reader's own. */
export function asCurl({ method, path, body }: NonNullable<Taught['request']>, origin = window.location.origin): string {
  const words = ['curl', ...(method === 'GET' ? [] : ['-X', method]), '-H', '"Authorization: Bearer $LADE_TOKEN"'];
  if (body !== undefined) words.push('-H', '"Content-Type: application/json"', '-d', quote(JSON.stringify(body)));
  return [...words, quote(origin + path)].join(' ');
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The two entries of every action's menu: the screen teaches the tool. */
export function CopyItems({ command, request }: Taught) {
  return (
    <>
      {command ? <Menu.Item leftSection={<IconTerminal2 {...smallIcon} />} onClick={() => void copyText(command, t('commandCopied'))}>{t('copyCommand')}</Menu.Item> : null}
      {request ? <Menu.Item leftSection={<IconWorldCode {...smallIcon} />} onClick={() => void copyText(asCurl(request), t('requestCopied'))}>{t('copyRequest')}</Menu.Item> : null}
    </>
  );
}

/** The three dots beside actions; `children` are further items. */
export function MoreMenu({ children, label, small, ...taught }: Taught & { children?: ReactNode; label?: string; small?: boolean }) {
  return (
    <Menu>
      <Menu.Target>
        <button type="button" className={`btn icon ${small ? 'smallBtn quiet' : ''}`} aria-label={label ?? t('more')}><IconDots {...icon} /></button>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        {children ? <Menu.Divider /> : null}
        <CopyItems {...taught} />
      </Menu.Dropdown>
    </Menu>
  );
}
