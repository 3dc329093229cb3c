import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { call, callWithHead } from '@/api/client';
import { isCallError, isUnreachable } from '@/api/problem';
import type { Draft, NewDraft } from '@/api/schema';
import { keyOf, useCall } from '@/api/use_call';
import { serverNow } from '@/api/server_time';

const kPause = 400;
const kRetryEvery = 3_000;

export type SaveState = { is: 'saved'; at: number | null } | { is: 'saving' } | { is: 'offline' } | { is: 'conflict' } | { is: 'refused'; error: unknown };

export type DraftChange = Partial<Pick<NewDraft, 'name' | 'file_id' | 'definition' | 'read' | 'mapping' | 'values' | 'step'>>;

const contentOf = (draft: Draft): NewDraft => ({
  name: draft.name,
  file_id: draft.file_id,
  definition: draft.definition,
  step: draft.step,
  read: draft.read,
  mapping: draft.mapping,
  values: draft.values,
});

/**
 * A draft on the server. A change shows at once, and is written 400 ms after the last one; without a connection it is kept and sent
 * when it is back. `flush` resolves when everything is written.
 */
export function useDraft(id: string) {
  const client = useQueryClient();
  const query = useCall('drafts.show', { path: { draft: id } }, { staleTime: Number.POSITIVE_INFINITY });
  const [state, setState] = useState<SaveState>({ is: 'saved', at: null });
  const timer = useRef(0);
  const dirty = useRef(false);
  const writing = useRef<Promise<void> | null>(null);
  const key = keyOf('drafts.show', { path: { draft: id } });
  const read = useCallback(() => client.getQueryData<Draft>(keyOf('drafts.show', { path: { draft: id } })), [client, id]);

  const write = useCallback(async (): Promise<void> => {
    window.clearTimeout(timer.current);
    const draft = read();
    if (!dirty.current || !draft) return;
    dirty.current = false;
    setState({ is: 'saving' });
    try {
      const saved = (await callWithHead('drafts.save', { path: { draft: id }, body: contentOf(draft), headers: { 'If-Match': `"${draft.version}"` } })).data;
      // What was changed meanwhile stays; only what the server decides is taken over.
      client.setQueryData<Draft>(keyOf('drafts.show', { path: { draft: id } }), (now) => now && { ...now, version: saved.version, file: saved.file, updated_at: saved.updated_at });
      void client.invalidateQueries({ queryKey: ['drafts.list'] });
      if (!dirty.current) setState({ is: 'saved', at: serverNow() });
    } catch (error) {
      dirty.current = true;
      if (isUnreachable(error)) {
        setState({ is: 'offline' });
        timer.current = window.setTimeout(() => void flushRef.current(), kRetryEvery);
      } else if (isCallError(error) && error.status === 412) setState({ is: 'conflict' });
      else setState({ is: 'refused', error });
      throw error;
    }
  }, [client, id, read]);

  const flush = useCallback(async (): Promise<void> => {
    while (writing.current) await writing.current.catch(() => undefined);
    if (!dirty.current) return;
    writing.current = write().finally(() => {
      writing.current = null;
    });
    await writing.current;
  }, [write]);
  const flushRef = useRef<() => Promise<void>>(flush);
  flushRef.current = () => flush().catch(() => undefined);

  const change = useCallback(
    (next: DraftChange) => {
      client.setQueryData<Draft>(keyOf('drafts.show', { path: { draft: id } }), (now) => now && ({ ...now, ...next } as Draft));
      dirty.current = true;
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void flushRef.current(), kPause);
    },
    [client, id],
  );

  const reload = async () => {
    dirty.current = false;
    await client.invalidateQueries({ queryKey: key });
    setState({ is: 'saved', at: null });
  };

  // Leaving the page or the step writes what is still waiting.
  useEffect(() => {
    const leave = () => {
      if (document.visibilityState === 'hidden') void flushRef.current();
    };
    document.addEventListener('visibilitychange', leave);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      void flushRef.current();
    };
  }, []);

  return { query, draft: query.data, change, flush, reload, state };
}

export type DraftHandle = ReturnType<typeof useDraft>;

export const createDraft = (content: NewDraft): Promise<Draft> => call('drafts.create', { body: content });
