import { Modal, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '@/api/client';
import { Button } from '@/components/button';
import { ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { t } from '@/strings/review';

/** Accepts the best candidate of many at once; counts first, with the same call. */
export function Bulk({ filter, onClose }: { filter: Record<string, string>; onClose: () => void }) {
  const [least, setLeast] = useState(95);
  const action = useAction();
  const body = { filter, min_confidence: least };
  const dry = useQuery({ queryKey: ['review.bulk', body], queryFn: ({ signal }) => call('review.bulk', { body: { ...body, dry_run: true }, signal }) });
  const count = dry.data?.decided ?? 0;
  const accept = async () => {
    if (await action.run('bulk', async () => t('bulkDone', { count: (await call('review.bulk', { body })).decided }), ['review.list'])) onClose();
  };
  return (
    <Modal opened onClose={onClose} title={t('bulkTitle')} withCloseButton={false}>
      <div className="stack">
        <TextInput type="number" label={t('bulkLeast')} min={0} max={100} value={least} onChange={(event) => setLeast(Math.min(100, Math.max(0, Math.round(Number(event.currentTarget.value)) || 0)))} data-autofocus />
        {dry.error ? <ProblemView error={dry.error} compact /> : null}
        {dry.data && count === 0 ? <p className="dim">{t('bulkNone', { least })}</p> : null}
        {dry.data?.ambiguous ? <p className="dim">{t('bulkAmbiguous', { count: dry.data.ambiguous })}</p> : null}
        {dry.data?.gone ? <p className="dim">{t('bulkGone', { count: dry.data.gone })}</p> : null}
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <div className="row wrap" style={{ justifyContent: 'flex-end' }}>
          <Button onClick={onClose}>{t('goBack')}</Button>
          {count > 0 ? <Button look="main" pending={action.working !== null || dry.isFetching} onClick={() => void accept()}>{t('bulkCount', { count, least })}</Button> : null}
        </div>
      </div>
    </Modal>
  );
}
