import { TextInput } from '@mantine/core';
import { IconDownload, IconSearch } from '@tabler/icons-react';
import { addressOf } from '@/api/client';
import { useMay } from '@/api/me';
import type { DefinitionSummary } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Age } from '@/components/age';
import { smallIcon } from '@/components/icons';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { Link } from '@/router/link';
import { useSearch } from '@/router/router';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/definitions';
import styles from './definitions.module.css';

const fits = (one: DefinitionSummary, text: string): boolean => `${one.slug} ${one.name} ${one.note ?? ''}`.toLowerCase().includes(text.toLowerCase());

function Row({ one }: { one: DefinitionSummary }) {
  const to = `/definitions/${encodeURIComponent(one.slug)}`;
  return (
    <tr>
      <td><Link to={to}><b>{one.name || one.slug}</b></Link></td>
      <td className="mono">{one.slug}</td>
      <td className="n">{one.version}</td>
      <td className={one.valid ? 'green' : 'amber'} title={one.validation_error ?? ''}>{t(one.valid ? 'valid' : 'invalid')}</td>
      <td>{one.strategy.replaceAll('_', ' ')}</td>
      <td className="dim cut" style={{ maxWidth: 360 }} title={one.note ?? ''}>{one.note}</td>
      <td className="n">{one.created_at ? <Age time={one.created_at} suffix=" ago" /> : null}</td>
      <td className="n"><a className="btn smallBtn quiet" href={addressOf('definitions.template', { slug: one.slug }, { format: 'xlsx' })} download><IconDownload {...smallIcon} />{t('template')}</a></td>
    </tr>
  );
}

/** What files look like, and where their rows go. */
export default function Definitions() {
  useCrumbs([{ label: t('title') }]);
  const [search, change] = useSearch();
  const may = useMay();
  const query = useCall('definitions.list', {});
  const text = search.get('q') ?? '';
  const neu = may('definitions.save') ? <Link className="btn" to="/definitions/+new/edit">{t('new')}</Link> : null;
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('title')}</h1><span className="row right">{neu}</span></div>
      <TextInput className={styles.search} data-filter aria-label={t('search')} placeholder={t('search')} leftSection={<IconSearch {...smallIcon} />} value={text} onChange={(event) => change({ q: event.currentTarget.value })} />
      <Answered query={query} compact>
        {(data) => {
          const items = data.items.filter((one) => fits(one, text));
          return (
            <section className="card">
              {items.length === 0 ? <Empty action={data.items.length === 0 ? neu : null}>{t(data.items.length === 0 ? 'empty' : 'emptyFiltered')}</Empty> : (
                <Scroll label={t('title')}>
                  <table>
                    <thead><tr><th>{t('name')}</th><th>{t('slug')}</th><th className="n">{t('version')}</th><th>{t('state')}</th><th>{t('strategy')}</th><th /><th className="n">{t('saved')}</th><th><span className="hidden">{t('template')}</span></th></tr></thead>
                    <tbody>{items.map((one) => <Row key={one.slug} one={one} />)}</tbody>
                  </table>
                </Scroll>
              )}
            </section>
          );
        }}
      </Answered>
    </div>
  );
}
