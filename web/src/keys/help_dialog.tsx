import { Checkbox, Modal } from '@mantine/core';
import { Fragment } from 'react';
import { prefer, usePreferences } from '@/theme/preferences';
import { t } from '@/strings/shell';
import { keysNow } from './keys';

const shownKey = (key: string): string => key.replace('ArrowRight', '→').replace('ArrowLeft', '←').replace('ArrowUp', '↑').replace('ArrowDown', '↓').replaceAll('+', ' ');

/** The keys of this screen, and of all. */
export function HelpDialog({ onClose }: { onClose: () => void }) {
  const { letters } = usePreferences();
  return (
    <Modal opened onClose={onClose} title={t('keys')} closeButtonProps={{ 'aria-label': t('close') }}>
      <div className="stack">
        {keysNow().map((scope) => (
          <section key={scope.title}>
            <h3>{scope.title}</h3>
            <dl className="kv" style={{ gridTemplateColumns: '110px 1fr' }}>
              {scope.bindings.map((binding) => (
                <Fragment key={binding.keys}>
                  <dt><kbd>{shownKey(binding.keys)}</kbd></dt>
                  <dd>{binding.label}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
        <Checkbox label={t('lettersOn')} checked={letters} onChange={(event) => prefer({ letters: event.currentTarget.checked })} />
      </div>
    </Modal>
  );
}
