import { Menu } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { addressOf } from '@/api/client';
import type { Definition } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { MoreMenu } from '@/components/copy_menu';
import { icon, smallIcon } from '@/components/icons';
import { Answered } from '@/components/states';
import { TabLinks } from '@/components/tab_links';
import { formatWhen } from '@/format/times';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import type { ScreenProps } from '@/router/routes';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/definitions';
import { Edit } from './edit';
import { Read } from './read';
import { Try } from './try';
import { Versions } from './versions';

const tabs = ['read', 'edit', 'versions', 'try'] as const;
type Tab = (typeof tabs)[number];

function Part({ tab, definition, newest }: { tab: Tab; definition: Definition; newest: number }) {
  const { slug, version } = definition;
  if (tab === 'edit') return <Edit key={`${slug} ${version}`} slug={slug} definition={definition} newest={newest} />;
  if (tab === 'versions') return <Versions slug={slug} />;
  if (tab === 'try') return <Try slug={slug} version={version} />;
  return <Read definition={definition} />;
}

function NewDefinition() {
  useCrumbs([{ label: t('title'), to: '/definitions' }, { label: t('new') }]);
  return <div className="page"><h1>{t('new')}</h1><Edit slug="+new" definition={null} newest={0} /></div>;
}

function Known({ slug, tab }: { slug: string; tab: Tab }) {
  const [search] = useSearch();
  const version = Number(search.get('version')) || undefined;
  const query = useCall('definitions.show', { path: { slug }, query: { version } }, { keep: true });
  const versions = useCall('definitions.versions', { path: { slug } });
  const newest = Math.max(query.data?.version ?? 0, ...(versions.data?.items.map((one) => one.version) ?? []));
  useCrumbs([{ label: t('title'), to: '/definitions' }, { label: query.data?.name || slug }]);
  const base = `/definitions/${encodeURIComponent(slug)}`;
  const address = (one: Tab) => `${one === 'read' ? base : `${base}/${one}`}${version ? `?version=${version}` : ''}`;
  return (
    <Answered query={query}>
      {(definition) => (
        <div className="page">
          <div className="pageHead">
            <div className="grow">
              <h1>{definition.name || slug}</h1>
              <p><span className="mono">{slug}</span> · {t('versionOf', { version: String(definition.version), when: definition.created_at ? formatWhen(definition.created_at) : '' })}{definition.note ? ` · ${definition.note}` : ''}</p>
            </div>
            <span className="row">
              <a className="btn" download href={addressOf('definitions.template', { slug }, { format: 'xlsx' })}><IconDownload {...smallIcon} />{t('template')}</a>
              <MoreMenu command={`lade definitions show ${slug}`} request={{ method: 'GET', path: `/api/v1/definitions/${slug}` }}>
                <Menu.Item component="a" download href={addressOf('definitions.template', { slug }, { format: 'csv' })} leftSection={<IconDownload {...smallIcon} />}>{t('templateCsv')}</Menu.Item>
              </MoreMenu>
            </span>
          </div>
          {definition.valid ? null : <div className="strip amber" role="status"><IconAlertTriangle {...icon} /><span className="grow"><b>{t('faulty')}</b> {definition.validation_error}</span><Link className="btn smallBtn" to={address('edit')}>{t('showFault')}</Link></div>}
          <TabLinks label={t('parts')} tabs={tabs.map((one) => ({ to: address(one), label: t(one), here: one === tab }))} />
          <Part tab={tab} definition={definition} newest={newest} />
        </div>
      )}
    </Answered>
  );
}

/** One definition: understand, change, compare, try. */
export default function DefinitionPage({ parameters }: ScreenProps) {
  const tab = tabs.find((one) => one === parameters.tab) ?? 'read';
  if (parameters.slug === '+new') return <NewDefinition />;
  return <Known slug={parameters.slug ?? ''} tab={tab} />;
}
