import { useEffect } from 'react';
import type { Draft, File as StoredFile, Sniffed } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { useLastGood } from '@/api/use_last_good';
import { Button } from '@/components/button';
import { EvidenceSelect } from '@/components/evidence_select';
import { Segmented } from '@/components/segmented';
import { Answered, ProblemView } from '@/components/states';
import { visible } from '@/format/cells';
import { formatBytes, formatNumber } from '@/format/numbers';
import { useSearch } from '@/router/router';
import { t as general } from '@/strings/general';
import { t } from '@/strings/read';
import { Frame } from './frame';
import { matchingFor } from './matching';
import { headerRowOptions, optionsOf, settingNames, type Setting } from './read_settings';
import { SampleGrid } from './sample_grid';
import type { StepName } from './steps';
import type { DraftChange, SaveState } from './use_draft';
import styles from './new_import.module.css';

const kPlaces = ['start', 'middle', 'end', 'odd'] as const;
type Place = (typeof kPlaces)[number];

interface Props {
  draft: Draft;
  file: StoredFile;
  saveState: SaveState;
  reached: StepName;
  addressOf: (step: StepName) => string;
  change: (change: DraftChange) => void;
  onBack: () => void;
  onNext: () => void;
}

interface SettingsProps {
  sniffed: Sniffed;
  read: Draft['read'];
  /** the reading that is wished for does not work: what is shown beside it is of the one before */
  refused: boolean;
  change: (read: Draft['read']) => void;
}

function Settings({ sniffed, read, refused, change }: SettingsProps) {
  const set = (name: string, value: string) => change({ ...read, [name]: name === 'header_row' ? Number(value) : value });
  const reset = (name: string) => change(Object.fromEntries(Object.entries(read).filter(([key]) => key !== name)));
  return (
    <section className={`card ${styles.settings}`} aria-label={t('settings')}>
      <header><h2>{t('settings')}</h2></header>
      {settingNames.map((name) => {
        const found = sniffed.settings.find((one) => one.name === name) as Setting | undefined;
        if (!found) return null;
        const wished = refused ? read[name] : undefined;
        const setting = typeof wished === 'string' || typeof wished === 'number' ? { ...found, value: wished, evidence: null } : found;
        const options = name === 'header_row' ? headerRowOptions({ header_line: Number(setting.value) }) : optionsOf(setting);
        return <EvidenceSelect key={name} label={t(name)} value={String(setting.value)} options={options} onChange={(value) => set(name, value)} evidence={setting.evidence} changed={name in read} onReset={() => reset(name)} />;
      })}
      <dl className="kv pad">
        <dt>{t('rows')}</dt>
        <dd className="num">{formatNumber(sniffed.total.rows)} <span className="faint">{sniffed.total.complete ? t('counted') : t('atLeast', { count: sniffed.total.rows })}</span></dd>
      </dl>
    </section>
  );
}

/** Step 2: how lade reads the file, with its reasons; a change reads 20 rows again while the old ones stay. */
export function ReadStep({ draft, file, saveState, reached, addressOf, change, onBack, onNext }: Props) {
  const [search, changeSearch] = useSearch();
  const at: Place = kPlaces.find((place) => place === search.get('at')) ?? 'start';
  const read = draft.read;
  const asked = useCall(
    'files.sniff',
    { path: { file: file.file_id }, query: { source: Object.keys(read).length > 0 ? JSON.stringify(read) : undefined, definition: draft.definition ?? undefined, at, rows: 0 } },
    { keep: true, staleTime: Number.POSITIVE_INFINITY },
  );
  const sniff = useLastGood(asked);
  // The columns of another header are others: what was matched with those that are gone is gone too.
  const { data: reading, isPlaceholderData: rereading } = asked;
  useEffect(() => {
    const kept = reading && !rereading ? matchingFor(reading.header, draft) : null;
    if (kept) change(kept);
  }, [reading, rereading, draft, change]);
  const places: { value: Place; label: string }[] = [
    { value: 'start', label: t('start') },
    { value: 'middle', label: t('middle') },
    { value: 'end', label: t('end') },
    ...(sniff.data?.total.odd || at === 'odd' ? [{ value: 'odd' as const, label: t('odd', { count: sniff.data?.total.odd ?? 0 }) }] : []),
  ];
  const lead = [visible(file.name), formatBytes(file.bytes), sniff.data ? general('rows', { count: sniff.data.total.rows }) : null].filter(Boolean).join(', ');
  const why = sniff.error ? t('notReadable') : rereading || !reading ? general('loading') : null;
  return (
    <Frame step="read" title={t('title')} lead={lead} saveState={saveState} reached={reached} addressOf={addressOf} onBack={onBack} onNext={why ? undefined : onNext} footer={<span className="right"><Button look="main" disabledBecause={why} onClick={onNext}>{t('matchColumns')}</Button></span>}>
      <Answered query={sniff} compact heights={[36, 400]}>
        {(sniffed) => (
          <>
            {sniff.error ? <ProblemView error={sniff.error} retry={() => void sniff.refetch()} compact /> : null}
            <div className={styles.read}>
              <Settings sniffed={sniffed} read={read} refused={sniff.error !== null} change={(next) => change({ read: next })} />
              <section className={`card ${styles.sample}`} aria-label={t('rowsAsRead')}>
                <header>
                  <h2>{t('rowsAsRead')}</h2>
                  <span className="right"><Segmented label={t('where')} value={at} options={places} onChange={(place) => changeSearch({ at: place === 'start' ? null : place })} /></span>
                </header>
                <SampleGrid sniffed={sniffed} stale={rereading || sniff.error !== null} />
              </section>
            </div>
          </>
        )}
      </Answered>
    </Frame>
  );
}
