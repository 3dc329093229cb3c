import { admin, base, link } from './harness.mjs';
import { open } from './browser.mjs';
import { definition } from './fixtures.mjs';

/** Calls the API as the page's own user, from inside the page. */
export const api = (page, method, path, body, type = 'application/json') =>
  page.evaluate(
    async ([how, where, what, kind]) => {
      const response = await fetch(where, { method: how, headers: { 'Content-Type': kind, Accept: 'application/json' }, body: what ?? undefined });
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : null };
    },
    [method, path, body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body), type],
  );

export async function firstStart(page) {
  await page.goto(`/welcome/${link}`);
  await page.getByLabel('New password', { exact: true }).fill(admin.password);
  await page.getByLabel('The same again', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Set the password and sign in' }).click();
  await page.waitForURL(`${base}/imports`);
}

export async function signIn(page, { email, password }) {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Another device of the same person: a browser that knows nothing of the first, signed in; `close` ends it. */
export async function otherDevice(context, person = admin) {
  const own = await context.browser().newContext({ baseURL: base, viewport: { width: 1440, height: 900 } });
  const page = await open(own);
  page.setDefaultTimeout(15_000);
  await page.goto('/sign-in');
  await signIn(page, person);
  await page.waitForURL((url) => url.pathname !== '/sign-in');
  return { page, close: () => own.close() };
}

export const saveDefinition = (page) => api(page, 'PUT', '/api/v1/definitions/supplier_price_list', definition, 'application/yaml');

export async function uploadIn(page, name, buffer) {
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
  await page.getByText('SHA-256').waitFor();
}

/** Chooses an entry of a list box by its label. */
export async function choose(page, field, option) {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Waits until the draft is on the server. */
export const saved = (page) => page.getByText(/^Saved \d/).waitFor();
