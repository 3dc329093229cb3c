import { Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import { call } from '@/api/client';
import { useMay } from '@/api/me';
import type { Company } from '@/api/schema';
import { useCall } from '@/api/use_call';
import { Button } from '@/components/button';
import { Scroll } from '@/components/scroll';
import { OnceDialog } from '@/components/shown_once';
import { Answered, ProblemView } from '@/components/states';
import { useAction } from '@/components/use_action';
import { formatBytes } from '@/format/numbers';
import { formatDay } from '@/format/times';
import { useCrumbs } from '@/shell/path_store';
import { t } from '@/strings/admin';
import { wholeLink } from './words';
import styles from './admin.module.css';

const kMegabyte = 1_000_000;

function NewCompany({ onClose }: { onClose: () => void }) {
  const action = useAction();
  const [slug, setSlug] = useState('');
  const [name, setName] = useState('');
  const [admin, setAdmin] = useState('');
  const [link, setLink] = useState<string | null>(null);
  const create = () => action.run('create', async () => {
    const made = await call('companies.create', { body: { slug: slug.trim(), admin: admin.trim(), ...(name.trim() ? { name: name.trim() } : {}) } });
    if (made.link) setLink(wholeLink(made.link));
    else onClose();
  }, ['companies.list']);
  return (
    <OnceDialog title={t('newCompany')} secret={link} note={t('companyLink', { email: admin, company: name || slug })} onClose={onClose}>
      <form className="stack" onSubmit={(event) => { event.preventDefault(); void create(); }}>
        <TextInput label={t('slug')} required data-autofocus value={slug} onChange={(event) => setSlug(event.currentTarget.value)} />
        <TextInput label={t('name')} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput label={t('firstAdmin')} type="email" required value={admin} onChange={(event) => setAdmin(event.currentTarget.value)} />
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <div><Button type="submit" look="main" pending={action.working !== null}>{t('create')}</Button></div>
      </form>
    </OnceDialog>
  );
}

function OwnCompany({ company }: { company: Company }) {
  const action = useAction();
  const [name, setName] = useState(company.name);
  const [fourEyes, setFourEyes] = useState(company.approver_must_differ);
  const [limit, setLimit] = useState(company.max_upload_bytes === null ? '' : String(Math.round(company.max_upload_bytes / kMegabyte)));
  const save = () => action.run('save', async () => {
    await call('company.change', { body: { name: name.trim(), approver_must_differ: fourEyes, ...(limit ? { max_upload_bytes: Number(limit) * kMegabyte } : {}) } });
    return t('saved');
  }, ['company.show', 'companies.list', 'me.show']);
  return (
    <section className="card" aria-label={t('ownCompany')}>
      <header><h2>{t('ownCompany')}</h2><span className="mono faint">{company.slug}</span></header>
      <form className={styles.form} onSubmit={(event) => { event.preventDefault(); void save(); }}>
        <TextInput label={t('name')} required value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput label={t('maxUpload')} type="number" min={1} placeholder={t('serverLimit')} value={limit} onChange={(event) => setLimit(event.currentTarget.value)} />
        <Checkbox label={t('fourEyes')} checked={fourEyes} onChange={(event) => setFourEyes(event.currentTarget.checked)} />
        {action.error ? <ProblemView error={action.error} compact /> : null}
        <div><Button type="submit" look="main" pending={action.working !== null}>{t('save')}</Button></div>
      </form>
    </section>
  );
}

/** Whose data and users are apart. */
export default function Companies() {
  useCrumbs([{ label: t('administration') }, { label: t('companies') }]);
  const may = useMay();
  const [making, setMaking] = useState(false);
  const own = useCall('company.show', {}, { enabled: may('company.change') });
  const query = useCall('companies.list', {});
  return (
    <div className="page">
      <div className="pageHead"><h1>{t('companies')}</h1>{may('companies.create') ? <span className="right"><Button onClick={() => setMaking(true)}>{t('newCompany')}</Button></span> : null}</div>
      <Answered query={query} compact>
        {(data) => (
          <section className="card">
            <Scroll label={t('companies')}>
              <table>
                <thead><tr><th>{t('company')}</th><th>{t('slug')}</th><th>{t('fourEyes')}</th><th className="n">{t('maxUpload')}</th><th className="n">{t('created')}</th></tr></thead>
                <tbody>{data.items.map((one) => <tr key={one.slug}><td><b>{one.name || one.slug}</b></td><td className="mono">{one.slug}</td><td>{t(one.approver_must_differ ? 'yes' : 'no')}</td><td className="n">{one.max_upload_bytes === null ? t('serverLimit') : formatBytes(one.max_upload_bytes)}</td><td className="n">{one.created_at ? formatDay(one.created_at) : ''}</td></tr>)}</tbody>
              </table>
            </Scroll>
          </section>
        )}
      </Answered>
      {own.data ? <OwnCompany key={own.data.slug} company={own.data} /> : null}
      {making ? <NewCompany onClose={() => setMaking(false)} /> : null}
    </div>
  );
}
