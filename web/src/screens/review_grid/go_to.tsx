import { Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Button } from '@/components/button';
import { t } from '@/strings/grid';

/** Asks for the number of a row. */
export function GoTo({ most, onClose, onGo }: { most: number; onClose: () => void; onGo: (row: number) => void }) {
  const [text, setText] = useState('');
  const number = Number(text.replace(/\D/g, ''));
  return (
    <Modal opened onClose={onClose} title={t('goTo')} withCloseButton={false}>
      <form className="row" onSubmit={(event) => { event.preventDefault(); if (number > 0) onGo(Math.min(number, most)); }}>
        <TextInput aria-label={t('goTo')} data-autofocus inputMode="numeric" value={text} onChange={(event) => setText(event.target.value)} className="grow" />
        <Button look="main" type="submit" onClick={() => undefined}>{t('goToDo')}</Button>
      </form>
    </Modal>
  );
}
