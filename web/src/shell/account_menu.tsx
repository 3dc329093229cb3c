import { Menu } from '@mantine/core';
import { IconCheck, IconLogout } from '@tabler/icons-react';
import { queryClient } from '@/api/query_client';
import { call } from '@/api/client';
import type { Me } from '@/api/me';
import { smallIcon } from '@/components/icons';
import { ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { initials } from '@/format/cells';
import { navigate } from '@/router/router';
import { t } from '@/strings/shell';
import { prefer, usePreferences, type Preferences } from '@/theme/preferences';
import styles from './shell.module.css';

const locales = ['en-GB', 'en-US', 'de-DE', 'de-CH', 'fr-FR', 'es-ES', 'it-IT', 'nl-NL', 'nb-NO', 'sv-SE', 'pl-PL'];

function Choice<K extends keyof Preferences>({ name, value, label }: { name: K; value: Preferences[K]; label: string }) {
  const chosen = usePreferences()[name] === value;
  return (
    <Menu.Item role="menuitemradio" aria-checked={chosen} closeMenuOnClick={false} onClick={() => prefer({ [name]: value })} rightSection={chosen ? <IconCheck {...smallIcon} /> : null}>
      {label}
    </Menu.Item>
  );
}

/** Who is signed in; colours, rows, numbers and dates; sign out. */
export function AccountMenu({ me }: { me: Me }) {
  const name = me.name ?? me.user;
  const action = useAction();
  const signOut = () => action.run('sign out', async () => {
    await call('sessions.end', { body: {} as never });
    queryClient.clear();
    navigate('/sign-in');
  });
  return (
    <Menu width={230}>
      <Menu.Target><button type="button" className={styles.me}><span aria-hidden="true">{initials(name)}</span><span className="hidden">{`${t('account')}: ${name}`}</span></button></Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{name === me.user ? me.user : `${name}, ${me.user}`}</Menu.Label>
        <Menu.Divider />
        <Menu.Label>{t('theme')}</Menu.Label>
        <Choice name="theme" value="auto" label={t('themeAuto')} />
        <Choice name="theme" value="light" label={t('themeLight')} />
        <Choice name="theme" value="dark" label={t('themeDark')} />
        <Menu.Label>{t('density')}</Menu.Label>
        <Choice name="density" value="compact" label={t('compact')} />
        <Choice name="density" value="comfortable" label={t('comfortable')} />
        <Menu.Sub>
          <Menu.Sub.Target><Menu.Sub.Item>{t('numbers')}</Menu.Sub.Item></Menu.Sub.Target>
          <Menu.Sub.Dropdown>
            <Choice name="locale" value="" label={t('localeAuto')} />
            {locales.map((locale) => <Choice key={locale} name="locale" value={locale} label={`${(1234567.89).toLocaleString(locale)} (${locale})`} />)}
          </Menu.Sub.Dropdown>
        </Menu.Sub>
        <Menu.Divider />
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <Menu.Item closeMenuOnClick={false} leftSection={<IconLogout {...smallIcon} />} onClick={() => void signOut()}>{t('signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
