import { Modal, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Button } from './button';
import type { Asked } from './confirm';

/** Two sentences, a list of consequences, a line where one is asked for, and buttons named after what they do. */
export function ConfirmDialog({ question }: { question: Asked }) {
  const [text, setText] = useState('');
  const { line } = question;
  const missing = line && text.trim() === '' ? line.missing : null;
  const keep = () => question.answer(false, '');
  const go = () => question.answer(true, text.trim());
  return (
    <Modal opened onClose={keep} title={question.title} withCloseButton={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (line && !missing) go();
        }}
      >
        {question.body ? <div className="dim">{question.body}</div> : null}
        {question.consequences?.length ? <ul style={{ margin: 0, paddingLeft: 18 }}>{question.consequences.map((one) => <li key={one}>{one}</li>)}</ul> : null}
        {line ? <TextInput label={line.label} required withAsterisk={false} maxLength={line.most} value={text} onChange={(event) => setText(event.target.value)} data-autofocus /> : null}
        <div className="row wrap" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={keep} data-autofocus={line ? undefined : true}>{question.keep}</Button>
          <Button look={question.danger ? 'danger' : 'main'} disabledBecause={missing} onClick={go}>{question.action}</Button>
        </div>
      </form>
    </Modal>
  );
}
