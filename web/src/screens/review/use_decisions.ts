import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { call } from '@/api/client';
import { isCallError } from '@/api/problem';
import type { ReviewDecision, ReviewItem } from '@/api/schema';
import { visible } from '@/format/cells';
import { t } from '@/strings/review';

const words = { pick: 'picked', create: 'created', reject: 'rejected' } as const;

/** What somebody else has decided, in words. */
function decidedBy(item: ReviewItem): string {
  const decision = item.decision;
  const what = !decision ? t('conflictOther') : decision.decision === 'pick' ? t('conflictPick', { entity: decision.entity_name ?? decision.entity }) : t(decision.decision === 'create' ? 'conflictCreate' : 'conflictReject');
  return t('conflict', { who: decision?.decided_by ?? t('somebody'), name: visible(item.name), what });
}

/**
 * Sends a decision while the next name is already on the page. One that the server refuses comes back with what it said, and nothing of it
 * is taken for done.
 */
export function useDecisions() {
  const client = useQueryClient();
  const [gone, setGone] = useState<ReadonlySet<number>>(new Set());
  const [said, setSaid] = useState('');
  const [fault, setFault] = useState<unknown>(null);
  // In the order of the keys; a decision is there from the moment it is made, so that the way back never takes the one before it.
  const done = useRef<{ item: ReviewItem; taken: Promise<boolean> }[]>([]);
  const [count, setCount] = useState(0);

  const hide = (id: number, hidden: boolean) =>
    setGone((before) => {
      const after = new Set(before);
      if (hidden) after.add(id);
      else after.delete(id);
      return after;
    });

  const refused = useCallback((item: ReviewItem, error: unknown) => {
    const now = isCallError(error) && error.status === 409 ? (error.problem as { item?: ReviewItem }).item : undefined;
    if (now && now.status !== 'open') return setSaid(decidedBy(now));
    hide(item.id, false);
    setFault(error);
  }, []);

  const send = useCallback(
    async (item: ReviewItem, decision: Omit<ReviewDecision, 'revision'>): Promise<boolean> => {
      try {
        const answer = await call('review.decide', { path: { item: String(item.id) }, body: { ...decision, revision: item.revision } });
        const entity = answer.decision?.entity_name ?? item.candidates.find((one) => one.id === decision.entity)?.name ?? decision.entity;
        const others = ((answer as unknown as { decided_items?: number }).decided_items ?? 1) - 1;
        setSaid([t(words[decision.decision], { name: visible(item.name), entity: entity ?? '' }), others > 0 ? t('alsoDecided', { count: others }) : ''].filter(Boolean).join(' '));
        if (others > 0) void client.invalidateQueries({ queryKey: ['review.list'] });
        return true;
      } catch (error) {
        refused(item, error);
        return false;
      }
    },
    [client, refused],
  );

  const decide = useCallback(
    async (item: ReviewItem, decision: Omit<ReviewDecision, 'revision'>) => {
      setFault(null);
      hide(item.id, true);
      const entry = { item, taken: send(item, decision) };
      done.current.push(entry);
      setCount(done.current.length);
      if (await entry.taken) return;
      done.current = done.current.filter((one) => one !== entry);
      setCount(done.current.length);
    },
    [send],
  );

  const undo = useCallback(async () => {
    const last = done.current.pop();
    if (!last) return setSaid(t('nothingToUndo'));
    setCount(done.current.length);
    setFault(null);
    // One that was refused has come back already.
    if (!(await last.taken)) return;
    try {
      await call('review.undo', { path: { item: String(last.item.id) } });
      await client.invalidateQueries({ queryKey: ['review.list'] });
      hide(last.item.id, false);
      setSaid(t('undone', { name: visible(last.item.name) }));
    } catch (error) {
      done.current.push(last);
      setCount(done.current.length);
      setFault(error);
    }
  }, [client]);

  return { gone, said, fault, count, decide, undo };
}
