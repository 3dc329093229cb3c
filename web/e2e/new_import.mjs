// First start, sign in and out, and a new import through its four steps, with a reload in the middle of each.
import { accessible, admin, base, check, equal, noScriptRan, run } from './harness.mjs';
import { api, choose, firstStart, saveDefinition, saved, signIn, uploadIn } from './actions.mjs';
import { addendum, kFileName, kPayload, kRows, priceList } from './fixtures.mjs';

let me = null;

const tests = [
  ['the first start lets the first admin in', async (page) => {
    await page.goto('/welcome/not-a-link');
    await page.getByLabel('New password', { exact: true }).fill('short');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByText('At least 12 characters.', { exact: true }).waitFor();
    await page.getByLabel('New password', { exact: true }).fill(admin.password);
    await page.getByLabel('The same again', { exact: true }).fill(`${admin.password}x`);
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.getByText('The two passwords differ.').waitFor();
    await accessible(page, 'welcome');
    await firstStart(page);
    await page.getByText('No imports yet. Drop a file anywhere, or start with New import.').waitFor();
    me = (await api(page, 'GET', '/api/v1/me')).body;
    await accessible(page, 'imports, empty');
    page.faults.length = 0; // the link that was none
  }],

  ['signing out and in comes back to the page that was asked for', async (page) => {
    await page.goto('/imports');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/sign-in/);
    await page.goto('/imports?status=failed');
    await page.waitForURL(/sign-in\?to=/);
    await accessible(page, 'sign in');
    await signIn(page, { email: 'nobody@example.com', password: 'wrong password 1' });
    const words = 'The e-mail address or the password is wrong.';
    await page.getByText(words).waitFor();
    await signIn(page, { email: me.user, password: 'wrong password 2' });
    await page.getByText(words).waitFor();
    await signIn(page, { email: me.user, password: admin.password });
    await page.waitForURL(`${base}/imports?status=failed`);
    await page.getByText('No import fits these filters').waitFor();
  }],

  ['step 1 takes a file, and a reload goes on with it', async (page) => {
    equal((await (await page.goto('/new'), saveDefinition(page))).status, 201, 'the definition is saved');
    await page.locator('input[type=file]').setInputFiles({ name: 'old.xls', mimeType: 'application/vnd.ms-excel', buffer: Buffer.from('x') });
    await page.getByText('Excel 97 files (.xls) cannot be read. Save it as .xlsx or CSV.').waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'nothing.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) });
    await page.getByText('The file is empty.').waitFor();
    await accessible(page, 'new import, file');
    await uploadIn(page, kFileName, priceList());
    await page.waitForURL(/\/new\/[0-9a-f-]{36}\/file/);
    await page.reload();
    await page.getByText(kFileName).waitFor();
    await noScriptRan(page, 'file');
    await page.goto('/imports');
    await page.getByText(`Not finished: ${kFileName}, step 1 of 4`).waitFor();
    await noScriptRan(page, 'draft in the list');
  }],

  ['step 2 shows how the file is read, and keeps what was changed', async (page) => {
    await page.goto('/imports');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.waitForURL(/\/read/);
    await page.getByRole('heading', { name: 'How we read your file' }).waitFor();
    await page.getByRole('cell', { name: 'Preisliste Hartmann GmbH' }).waitFor();
    equal(await page.getByRole('combobox', { name: 'Header row' }).inputValue(), 'row 3', 'the header row that was found');
    await page.getByText(kPayload).first().waitFor();
    await noScriptRan(page, 'read');
    await accessible(page, 'new import, read');
    await choose(page, 'Header row', 'row 1');
    await page.getByRole('button', { name: 'Reset' }).waitFor();
    await saved(page);
    await page.reload();
    equal(await page.getByRole('combobox', { name: 'Header row' }).inputValue(), 'row 1', 'the header row after a reload');
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.waitForFunction(() => document.querySelectorAll('input').length > 0 && [...document.querySelectorAll('input')].some((one) => one.value === 'row 3'));
    await saved(page);
  }],

  ['step 3 asks for what cannot be known, and decides per value', async (page) => {
    await page.goto('/imports');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Match columns' }).click();
    await page.waitForURL(/\/match/);
    await page.getByText('Needs your decision').waitFor();
    await page.getByText('To go on: a column for').waitFor();
    equal(await page.getByRole('button', { name: /^Check/ }).getAttribute('aria-disabled'), 'true', 'the button without a column for unit');
    await accessible(page, 'new import, match');
    await choose(page, 'Column for unit', 'ME');
    await saved(page);
    await page.getByText(`Lagerort ${kPayload}`).first().waitFor();
    await noScriptRan(page, 'match');
    await page.reload();
    await page.getByText('chosen').first().waitFor();
    await page.getByRole('button', { name: /values open/ }).first().click();
    await choose(page, 'What EURO means', 'EUR');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await saved(page);
    await page.reload();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
  }],

  ['step 4 says what will happen; the button carries the numbers', async (page) => {
    await page.goto('/imports');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: `Check ${kRows} rows` }).click();
    await page.waitForURL(/\/preview/);
    const approve = page.getByRole('button', { name: /^Import \d/ });
    await approve.waitFor({ timeout: 30_000 });
    await page.reload();
    await approve.waitFor();
    await accessible(page, 'new import, preview');
    await noScriptRan(page, 'preview');
    const id = new URL(page.url()).pathname.split('/')[2];
    const found = (await api(page, 'GET', `/api/v1/imports/${id}`)).body.comparison;
    const label = await approve.innerText();
    equal(label, `Import ${found.insert} new and ${found.update} changed`, 'the button');
    check(found.fail >= 3 && found.update === 3 && found.insert + found.update + found.fail === kRows, `counts of the preview: ${JSON.stringify(found)}`);
    await approve.click();
    await page.getByText(/failed rows are left out/).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: label }).click();
    await page.waitForURL(`${base}/imports/${id}`, { timeout: 30_000 });
    await page.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: 30_000 });
  }],

  ['the list shows it, filters are in the address', async (page) => {
    await page.goto('/imports');
    await page.getByText('Succeeded', { exact: true }).first().waitFor();
    await page.getByText(kFileName).waitFor();
    await noScriptRan(page, 'imports');
    await accessible(page, 'imports');
    await page.getByPlaceholder('File, definition or id').fill('no such file');
    await page.getByText('No import fits these filters').waitFor();
    check(page.url().includes('q=no+such+file'), `the filter is in the address: ${page.url()}`);
    await page.reload();
    await page.getByText('No import fits these filters').waitFor();
    await page.getByRole('link', { name: 'Clear filters' }).first().click();
    await page.getByText(kFileName).waitFor();
    await page.goBack();
    await page.getByText('No import fits these filters').waitFor();
  }],

  ['the same bytes again are known before anything is read', async (page) => {
    await page.goto('/new');
    await uploadIn(page, 'again.csv', priceList());
    await page.getByText(/This file was imported on/).waitFor();
    const next = page.getByRole('button', { name: 'Read the file' });
    equal(await next.getAttribute('aria-disabled'), 'true', 'the button before it was said');
    await page.getByRole('button', { name: 'Import it again' }).click();
    await next.click();
    await page.waitForURL(/\/read/);
    await page.goto('/imports');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByText('Not finished').waitFor({ state: 'hidden' });
  }],

  ['a matching is remembered for files with these headers', async (page) => {
    await page.goto('/new');
    await uploadIn(page, 'Nachtrag.csv', addendum());
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByRole('button', { name: 'Match columns' }).click();
    await page.getByText('remembered').first().waitFor();
    const button = page.getByRole('button', { name: 'Check 20 rows' });
    await button.waitFor();
    equal(await button.getAttribute('aria-disabled'), null, 'nothing is missing');
  }],

  ['everything is within reach of the keyboard', async (page) => {
    await page.goto('/imports');
    await page.getByText(kFileName).first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Keys', { exact: true }).waitFor();
    await accessible(page, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.keyboard.press('n');
    await page.waitForURL(/\/new$/);
    await page.getByText('choose a file').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForURL(/\/imports$/);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, an import, or what to do').fill('new imp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/new$/);
  }],

  ['a session that ends leaves the page as it is', async (page) => {
    await page.goto('/imports');
    const filter = page.getByPlaceholder('File, definition or id');
    await filter.fill('Preis');
    await page.waitForURL(/q=Preis/);
    await api(page, 'POST', '/api/v1/auth/logout', {});
    await filter.fill('Preisliste');
    await page.getByText('Your session has ended').waitFor();
    await accessible(page, 'session ended');
    await page.getByLabel('Password', { exact: true }).fill(admin.password);
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    equal(await filter.inputValue(), 'Preisliste', 'the input that was on the page');
    await page.getByText(kFileName).waitFor();
    page.faults.length = 0; // the answers 401
  }],

  ['a viewer finds no way to change anything', async (page, context) => {
    await page.goto('/imports');
    const viewer = (await api(page, 'POST', '/api/v1/users', { email: 'viewer@example.com', role: 'viewer' })).body;
    const other = await context.browser().newContext({ baseURL: base });
    const theirs = await other.newPage();
    await theirs.goto(`/welcome/${viewer.link.split('/').at(-1)}`);
    await theirs.getByLabel('New password', { exact: true }).fill(admin.password);
    await theirs.getByLabel('The same again', { exact: true }).fill(admin.password);
    await theirs.getByRole('button', { name: 'Set the password and sign in' }).click();
    await theirs.getByText(kFileName).waitFor();
    equal(await theirs.getByRole('link', { name: 'New import' }).count(), 0, 'ways to a new import');
    equal(await theirs.getByRole('link', { name: 'Queues' }).count(), 0, 'ways to operations');
    await theirs.goto('/new');
    await theirs.getByText('There is nothing at this address').waitFor();
    await other.close();
  }],

  ['dark colours are as readable as light ones', async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto('/imports');
    await page.getByText(kFileName).waitFor();
    await accessible(page, 'imports, dark');
    await page.goto('/new');
    await page.getByText('choose a file').waitFor();
    await accessible(page, 'new import, dark');
  }],

  ['a phone shows the list without scrolling sideways', async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/imports');
    await page.getByText(kFileName).waitFor();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    equal(wide, 0, 'pixels beyond the screen');
    await accessible(page, 'imports on a phone');
  }],
];

await run(tests);
