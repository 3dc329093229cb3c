import { Modal, TextInput } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { addressOf } from '@/api/client';
import { useMay } from '@/api/me';
import type { Import, ImportSeries } from '@/api/schema';
import { Button } from '@/components/button';
import { icon } from '@/components/icons';
import { Link } from '@/router/link';
import { t } from '@/strings/import_page';
import type { Actions } from './actions';
import { writtenRows } from './counts';
import { phaseOf } from './phases';
import styles from './import.module.css';

const sentence = (text: string): string => {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return !begun || /[.?!…]$/.test(begun) ? begun : `${begun}.`;
};

/** Under the title of a failed import: what happened, in which phase, what is in the database, what to do. */
export function FailedCard({ job, metrics, actions }: { job: Import; metrics: ImportSeries | undefined; actions: Actions }) {
  const may = useMay();
  const [limit, setLimit] = useState<string | null>(null);
  const written = writtenRows(job);
  const tooMany = job.error?.code === 'too_many_errors' || job.error?.code?.includes('max_errors');
  return (
    <section className={`strip red ${styles.failed}`} aria-label={t('failed')}>
      <IconAlertCircle {...icon} />
      <div className="grow">
        <b>{t('failedIn', { phase: t(`phase_${phaseOf(job, metrics)}`) })}: {sentence(job.error?.message ?? '')}</b> {written > 0 ? t('stateSome', { count: written }) : t('stateNothing')}
        {job.error?.hint ? <p className="dim">{sentence(job.error.hint)}</p> : null}
        {job.error ? <> <span className="mono caption dim">{job.error.code}</span></> : null}
      </div>
      <div className="row wrap">
        {job.rows.failed > 0 && may('imports.fix') ? <Link className="btn smallBtn" to={`/imports/${job.job_id}/rows?state=failed`}>{t('fixHere')}</Link> : null}
        {job.rows.failed > 0 ? <a className="btn smallBtn" href={addressOf('imports.results', { import: job.job_id, which: 'failed' })} download>{t('downloadFailed')}</a> : null}
        {tooMany && may('imports.retry') ? <Button small onClick={() => setLimit('')}>{t('changeLimit')}</Button> : null}
      </div>
      {limit !== null ? (
        <Modal opened onClose={() => setLimit(null)} title={t('limitTitle')} withCloseButton={false}>
          <form className="stack" onSubmit={(event) => { event.preventDefault(); if (limit.trim()) { setLimit(null); void actions.retry({ max_errors: limit.trim() }); } }}>
            <TextInput label={t('limitLabel')} placeholder={t('limitHint')} data-autofocus value={limit} onChange={(event) => setLimit(event.target.value)} />
            <div className="row" style={{ justifyContent: 'flex-end' }}><Button onClick={() => setLimit(null)}>{t('goBack')}</Button><Button look="main" type="submit" onClick={() => undefined} disabledBecause={limit.trim() ? null : t('limitHint')}>{t('limitDo')}</Button></div>
          </form>
        </Modal>
      ) : null}
    </section>
  );
}
