import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { keyOf } from '@/api/use_call';
import { toast } from '@/components/toast';
import { t } from '@/strings/grid';
import { wordsOf, type Edits } from './use_edits';

/** Sends corrections of failed rows of an import that has ended; it runs again. */
export function useFixes(id: string, edits: Edits) {
  const client = useQueryClient();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const send = async () => {
    setWorking(true);
    setError(null);
    try {
      await call('imports.fix', { path: { import: id }, body: { rows: [...edits.fixes].map(([row, cells]) => ({ row, cells })) } });
      edits.clearFixes();
      toast(t('sentFixes'));
      await client.invalidateQueries({ queryKey: keyOf('imports.show', { path: { import: id } }) });
      await client.invalidateQueries({ queryKey: ['imports.grid', { import: id }] });
    } catch (problem) {
      setError(wordsOf(problem));
    } finally {
      setWorking(false);
    }
  };
  return { working, error, send };
}
