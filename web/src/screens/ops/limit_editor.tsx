import { useState } from 'react';
import { call } from '@/api/client';
import type { QueueFigures } from '@/api/schema';
import { Button } from '@/components/button';
import { ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { t } from '@/strings/ops';
import { Slots } from './slots';
import styles from './ops.module.css';

const shown = (limit: number | null): string => (limit === null ? t('noLimit') : String(limit));

/** The limit of a queue, changed in its place; what it was stays beside it. */
export function LimitEditor({ queue, mayChange }: { queue: QueueFigures; mayChange: boolean }) {
  const [text, setText] = useState<string | null>(null);
  const [before, setBefore] = useState<number | null | undefined>(undefined);
  const action = useAction();
  const slots = <Slots running={queue.running} limit={queue.concurrency} hue={queue.held > 0 ? 'amber' : 'blue'} />;
  if (!mayChange) return slots;
  if (text === null) {
    return (
      <span className={styles.limit}>
        <button type="button" className="linkBtn" onClick={() => setText(queue.concurrency === null ? '' : String(queue.concurrency))}><span className="hidden">{t('changeLimit', { queue: queue.queue })}: </span>{slots}</button>
        {queue.concurrency === null ? <span className="faint small">{t('noLimit')}</span> : null}
        {before === undefined ? null : <span className="faint small">{t('was', { limit: shown(before) })}</span>}
      </span>
    );
  }
  const bad = text !== '' && !/^[1-9]\d{0,5}$/.test(text);
  const save = async () => {
    const concurrency = text === '' ? null : Number(text);
    const done = await action.run(
      'save',
      async () => {
        await call('queues.change', { path: { queue: queue.queue }, body: { concurrency } });
        return t('limitSaved', { queue: queue.queue, limit: shown(concurrency) });
      },
      ['queues.figures', 'overview.show'],
    );
    if (!done) return;
    setBefore(queue.concurrency);
    setText(null);
  };
  return (
    <form className={styles.limit} onSubmit={(event) => { event.preventDefault(); if (!bad) void save(); }}>
      <input autoFocus inputMode="numeric" aria-label={t('limitOf', { queue: queue.queue })} aria-invalid={bad} title={t('limitHint')} value={text} onChange={(event) => setText(event.currentTarget.value.trim())} onKeyDown={(event) => event.key === 'Escape' && setText(null)} />
      <Button small type="submit" pending={action.working !== null} disabledBecause={bad && t('limitBad')}>{t('save')}</Button>
      <span className="faint small">{t('was', { limit: shown(queue.concurrency) })}</span>
      {action.error ? <ProblemView error={action.error} compact /> : null}
    </form>
  );
}
