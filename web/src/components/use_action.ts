import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { CallName } from '@/api/client';
import { toast } from './toast';

interface Action {
  /** the name of what runs, to turn the sign of its button; null: nothing */
  working: string | null;
  /** what went wrong last, to stand where it happened */
  error: unknown;
  clear: () => void;
  /** runs it, says what it answers, and asks again for what it may have changed; true: it was done */
  run: (name: string, work: () => Promise<string | void>, touches?: CallName[]) => Promise<boolean>;
}

/** One action at a time, with its sign and its fault. */
export function useAction(): Action {
  const client = useQueryClient();
  const [working, setWorking] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const busy = useRef(false);
  const run = useCallback<Action['run']>(
    async (name, work, touches = []) => {
      if (busy.current) return false;
      busy.current = true;
      setWorking(name);
      setError(null);
      try {
        const said = await work();
        if (said) toast(said);
        return true;
      } catch (fault) {
        setError(fault);
        return false;
      } finally {
        busy.current = false;
        setWorking(null);
        await Promise.all(touches.map((call) => client.invalidateQueries({ queryKey: [call] })));
      }
    },
    [client],
  );
  return { working, error, clear: () => setError(null), run };
}
