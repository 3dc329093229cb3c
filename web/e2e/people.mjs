import { base, admin } from './harness.mjs';
import { api } from './actions.mjs';
import { open } from './browser.mjs';
import { sql } from './database.mjs';

/** Invites somebody and opens a browser of theirs, signed in; `close` ends it. */
export async function personOf(page, context, role) {
  const email = `${role}@example.com`;
  const made = (await api(page, 'POST', '/api/v1/users', { email, role })).body;
  const own = await context.browser().newContext({ baseURL: base, viewport: { width: 1440, height: 900 } });
  const theirs = await open(own);
  theirs.setDefaultTimeout(15_000);
  await theirs.goto(`/welcome/${made.link.split('/').at(-1)}`);
  await theirs.getByLabel('New password', { exact: true }).fill(admin.password);
  await theirs.getByLabel('The same again', { exact: true }).fill(admin.password);
  await theirs.getByRole('button', { name: 'Set the password and sign in' }).click();
  await theirs.waitForURL((url) => !url.pathname.startsWith('/welcome'));
  return { page: theirs, email, close: () => own.close() };
}

/** Waits until the import has one of these statuses; gives it. */
export async function waitForImport(page, id, ...statuses) {
  const end = Date.now() + 60_000;
  for (;;) {
    const one = (await api(page, 'GET', `/api/v1/imports/${id}`)).body;
    if (statuses.includes(one.status)) return one;
    if (Date.now() > end) throw new Error(`the import is ${one.status} instead of ${statuses}`);
    await page.waitForTimeout(100);
  }
}

/** Uploads a text as a file and imports it. */
export async function importText(page, name, text, wishes) {
  const file = (await api(page, 'POST', `/api/v1/files?name=${encodeURIComponent(name)}`, text, 'application/octet-stream')).body;
  const made = await api(page, 'POST', '/api/v1/imports', { file_id: file.file_id, ...wishes });
  if (made.status !== 202) throw new Error(`the import was not taken: ${JSON.stringify(made.body)}`);
  return made.body.job_id;
}

/** Approves the import; its table is gone while the rows are to be written. */
export async function failWhileLoading(page, id, table) {
  sql(`ALTER TABLE ${table} RENAME TO ${table}_gone`);
  await api(page, 'POST', `/api/v1/imports/${id}/approve`, { revision: 0 });
  await waitForImport(page, id, 'failed');
  sql(`ALTER TABLE ${table}_gone RENAME TO ${table}`);
}
