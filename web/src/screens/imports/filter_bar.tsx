import { Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useMe } from '@/api/me';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { smallIcon } from '@/components/icons';
import { formatNumber } from '@/format/numbers';
import { Link } from '@/router/link';
import { useSearch, withSearch } from '@/router/router';
import { t } from '@/strings/imports';
import { countOf, filtersOf, groupNames, isFiltered } from './filters';
import styles from './imports.module.css';

const kTypingPause = 250;

/** Statuses with their counts. */
export function StatusFilter() {
  const [search] = useSearch();
  const filters = filtersOf(search);
  // Counts know nothing of texts and days: beside such a list they would be wrong.
  const counted = !filters.q && !filters.from && !filters.to;
  const answer = useCall('imports.counts', { query: { definition: filters.definition, owner: filters.owner } }, { refetchInterval: 10_000, keep: true, enabled: counted });
  const counts = counted ? answer.data : undefined;
  const chosen = search.get('status') ?? '';
  const entry = (value: string, label: string, count: number | undefined) => (
    <Link key={value} to={withSearch({ status: value, cursor: null }, '/imports', search.toString())} aria-current={chosen === value ? 'true' : undefined}>
      {label} {count === undefined ? '' : formatNumber(count)}
    </Link>
  );
  return (
    <nav className="seg" aria-label={t('status')}>
      {entry('', t('all'), counts?.total)}
      {groupNames.map((group) => entry(group, t(group), countOf(group, counts)))}
    </nav>
  );
}

function SearchFilter() {
  const [search, change] = useSearch();
  const inAddress = search.get('q') ?? '';
  const [text, setText] = useState(inAddress);
  useEffect(() => setText(inAddress), [inAddress]);
  useEffect(() => {
    if (text === inAddress) return;
    const timer = window.setTimeout(() => change({ q: text }), kTypingPause);
    return () => window.clearTimeout(timer);
  }, [text, inAddress, change]);
  return (
    <TextInput className={styles.search} data-filter aria-label={t('search')} placeholder={t('search')} value={text} leftSection={<IconSearch {...smallIcon} />} onChange={(event) => setText(event.currentTarget.value)} />
  );
}

function DefinitionFilter() {
  const [search, change] = useSearch();
  const definitions = useCall('definitions.list', {}, { staleTime: 60_000 });
  const data = (definitions.data?.items ?? []).map((one) => ({ value: one.slug, label: one.name || one.slug }));
  return (
    <Select className={styles.definition} aria-label={t('definition')} placeholder={t('anyDefinition')} data={data} value={search.get('definition')} clearable searchable clearButtonProps={{ 'aria-label': t('anyDefinition') }} onChange={(definition) => change({ definition })} />
  );
}

/** Text, definition, owner and days, right of the title; all of it in the address. */
export function FilterBar() {
  const [search, change] = useSearch();
  const me = useMe();
  const mine = search.get('owner') === me.data?.user;
  return (
    <div className={styles.filters} role="search" aria-label={t('filters')}>
      {isFiltered(filtersOf(search)) ? <Link to="/imports" className="small">{t('clear')}</Link> : null}
      <SearchFilter />
      <DefinitionFilter />
      <Button aria-pressed={mine} className={mine ? styles.pressed : ''} onClick={() => change({ owner: mine ? null : me.data?.user })}>{t('mine')}</Button>
      <label className={styles.day}>{t('from')}<input type="date" value={search.get('from') ?? ''} onChange={(event) => change({ from: event.currentTarget.value })} /></label>
      <label className={styles.day}>{t('to')}<input type="date" value={search.get('to') ?? ''} onChange={(event) => change({ to: event.currentTarget.value })} /></label>
    </div>
  );
}
