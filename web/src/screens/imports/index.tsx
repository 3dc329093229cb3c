import { useMemo } from 'react';
import { useMay } from '@/api/me';
import { Answered, Empty } from '@/components/states';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/imports';
import { Drafts } from './drafts';
import { FilterBar, StatusFilter } from './filter_bar';
import { filtersOf, isFiltered } from './filters';
import { List } from './list';
import { useImports } from './use_imports';
import styles from './imports.module.css';

function NothingHere({ filtered }: { filtered: boolean }) {
  const may = useMay();
  if (filtered) return <div className="card"><Empty action={<Link to="/imports">{t('clear')}</Link>}>{t('emptyFiltered')}</Empty></div>;
  return (
    <div className="card">
      <Empty action={<span className="row">{may('imports.create') ? <Link to="/new" className="btn">{t('newImport')}</Link> : null}<Link to="/definitions">{t('templates')}</Link></span>}>{t('empty')}</Empty>
    </div>
  );
}

/** What runs, what waits for me, what went wrong. */
export default function Imports() {
  useCrumbs([{ label: t('title') }]);
  const [search] = useSearch();
  const text = JSON.stringify(filtersOf(search));
  const filters = useMemo(() => JSON.parse(text) as ReturnType<typeof filtersOf>, [text]);
  const { query, items, newer, refresh } = useImports(filters);
  return (
    <div className={`page ${styles.page}`}>
      <div className={styles.title}><h1>{t('title')}</h1><FilterBar /></div>
      <Drafts />
      <div><StatusFilter /></div>
      {newer > 0 ? (
        <div className="strip blue small" role="status">{isFiltered(filters) ? t('listChanged') : t('newer', { count: newer })} <button type="button" className="linkBtn" onClick={refresh}>{t('show')}</button></div>
      ) : null}
      <Answered query={query} compact heights={[28, 36, 36, 36, 36, 36, 36, 36]}>
        {() => (items.length === 0 ? <NothingHere filtered={isFiltered(filters)} /> : <List items={items} filters={filters} hasMore={query.hasNextPage && !query.isFetchingNextPage} loadMore={() => void query.fetchNextPage()} />)}
      </Answered>
    </div>
  );
}
