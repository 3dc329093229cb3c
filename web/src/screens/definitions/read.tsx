import type { DataColumn, Definition, Mapping } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Scroll } from '@/components/scroll';
import { Answered, Empty } from '@/components/states';
import { visible } from '@/format/cells';
import { useSearch } from '@/router/router';
import { t } from '@/strings/definitions';
import { Flow } from './flow';
import { flowOf, tablesOf } from './flow_places';

function sourceOf(column: DataColumn, mappings: Mapping[]): string {
  const parts = mappings.filter((one) => one.mapping.target_data_column_name === column.column_name).map(({ mapping }) => {
    if (mapping.source_column_name !== null) return visible(mapping.source_column_name);
    if (mapping.source_expression !== null) return t('expression', { text: mapping.source_expression });
    return t('constant', { text: mapping.source_value });
  });
  return parts.join(', ') || t('fromNothing');
}

function Table({ columns, mappings }: { columns: DataColumn[]; mappings: Mapping[] }) {
  return (
    <Scroll label={t('targets')}>
      <table>
        <thead><tr><th>{t('data')}</th><th>{t('source')}</th><th>{t('type')}</th><th>{t('step')}</th><th>{t('purpose')}</th><th>{t('rules')}</th></tr></thead>
        <tbody>
          {columns.map((column) => (
            <tr key={`${column.step_code} ${column.column_name}`}>
              <td><b>{column.column_name}</b></td>
              <td>{sourceOf(column, mappings)}</td>
              <td className="mono">{column.column_type}</td>
              <td>{column.step_code}</td>
              <td>{t(column.purpose)}</td>
              <td>{[t(column.is_nullable ? 'mayBeBlank' : 'required'), column.is_uniquely_identifying ? t('unique') : ''].filter(Boolean).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** What it makes of a file, as a picture and as a table. */
export function Read({ definition }: { definition: Definition }) {
  const { slug, version } = definition;
  const [search, change] = useSearch();
  const asked = { path: { slug }, query: { version } };
  const steps = useCall('definitions.steps', asked);
  const columns = useCall('definitions.data_columns', asked);
  const sources = useCall('definitions.source_columns', asked);
  const mappings = useCall('definitions.mappings', asked);
  const table = search.get('view') === 'table';
  return (
    <section className="card" aria-label={t('read')}>
      <header><h2>{t('read')}</h2><span className="faint hideSmall">{t('readNote')}</span><button type="button" className="linkBtn small right" onClick={() => change({ view: table ? null : 'table' })}>{t(table ? 'asPicture' : 'asTable')}</button></header>
      <Answered query={steps} compact>
        {(stepList) => <Answered query={columns} compact>
          {(columnList) => <Answered query={sources} compact>
            {(sourceList) => <Answered query={mappings} compact>
              {(mappingList) => {
                if (columnList.items.length === 0) return <Empty>{t('noColumns')}</Empty>;
                if (table) return <Table columns={columnList.items} mappings={mappingList.items} />;
                const names = sourceList.items.toSorted((a, b) => a.priority - b.priority).map((one) => one.column_name);
                return <Flow flow={flowOf(names, stepList.items, columnList.items, mappingList.items, tablesOf(definition.settings))} />;
              }}
            </Answered>}
          </Answered>}
        </Answered>}
      </Answered>
    </section>
  );
}
