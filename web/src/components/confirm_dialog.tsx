import { Modal } from '@mantine/core';
import { Button } from './button';
import type { Asked } from './confirm';

/** Two sentences, a list of consequences, and buttons named after what they do. */
export function ConfirmDialog({ question }: { question: Asked }) {
  return (
    <Modal opened onClose={() => question.answer(false)} title={question.title} withCloseButton={false}>
      <div className="stack">
        {question.body ? <div className="dim">{question.body}</div> : null}
        {question.consequences?.length ? <ul style={{ margin: 0, paddingLeft: 18 }}>{question.consequences.map((one) => <li key={one}>{one}</li>)}</ul> : null}
        <div className="row wrap" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={() => question.answer(false)} data-autofocus>{question.keep}</Button>
          <Button look={question.danger ? 'danger' : 'main'} onClick={() => question.answer(true)}>{question.action}</Button>
        </div>
      </div>
    </Modal>
  );
}
