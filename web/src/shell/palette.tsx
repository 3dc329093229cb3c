import { Modal } from '@mantine/core';
import { useState } from 'react';
import type { Me } from '@/api/me';
import { useCall } from '@/api/use_call';
import { StatusChip } from '@/components/status_chip';
import { navigate } from '@/router/router';
import { t } from '@/strings/shell';
import { navigationFor } from './navigation';
import { toggleHold } from './hold';
import { switchTheme } from './switch_theme';
import styles from './palette.module.css';

interface Choice {
  id: string;
  label: string;
  group: string;
  status?: string;
  run: () => void;
}

const kMostFound = 8;

function useChoices(me: Me, text: string): Choice[] {
  const found = useCall('imports.list', { query: { q: text, limit: kMostFound } as never }, { enabled: text.length > 1, keep: true });
  const go = (to: string) => () => navigate(to);
  const places = navigationFor(me).flatMap((group) => group.places.map((place) => ({ id: place.to, label: place.label, group: group.title, run: go(place.to) })));
  const commands: Choice[] = [
    ...(me.may.includes('imports.create') ? [{ id: 'new', label: t('newImport'), group: t('goTo'), run: go('/new') }] : []),
    { id: 'theme', label: t('switchTheme'), group: t('goTo'), run: switchTheme },
    { id: 'hold', label: t('hold'), group: t('goTo'), run: toggleHold },
  ];
  const wanted = text.trim().toLowerCase();
  const fitting = [...commands, ...places].filter((one) => one.label.toLowerCase().includes(wanted));
  const imports = text.length > 1 ? (found.data?.items ?? []).map((one) => ({ id: one.job_id, label: one.file, group: t('found'), status: one.status, run: go(`/imports/${one.job_id}`) })) : [];
  return [...fitting, ...imports];
}

/** Ctrl K: a page, an import, or what to do, by typing a part of its name. */
export function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = useChoices(me, text);
  const chosen = Math.min(at, choices.length - 1);
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    choice.run();
  };
  return (
    <Modal opened onClose={onClose} withCloseButton={false} padding={0} size={560} yOffset="12vh" centered={false} aria-label={t('searchTitle')}>
      <input
        className={styles.input}
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={choices[chosen] ? `palette-${chosen}` : undefined}
        aria-label={t('searchTitle')}
        placeholder={t('searchHint')}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) setAt(Math.max(0, Math.min(chosen + step, choices.length - 1)));
          else if (event.key === 'Enter') run(choices[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label={t('searchTitle')} className={styles.list}>
        {choices.map((choice, index) => (
          <li key={choice.id} id={`palette-${index}`} role="option" aria-selected={index === chosen} onMouseEnter={() => setAt(index)} onClick={() => run(choice)}>
            <span className="cut">{choice.label}</span>
            {choice.status ? <StatusChip status={choice.status} /> : <span className="faint caption right">{choice.group}</span>}
          </li>
        ))}
        {choices.length === 0 ? <li className="faint" role="presentation">{t('searchNothing')}</li> : null}
      </ul>
    </Modal>
  );
}
