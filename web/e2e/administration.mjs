// Definitions: read, changed with faults at their lines, compared, tried. Users, tokens, companies and the audit.
import { accessible, check, equal, noScriptRan, run } from './harness.mjs';
import { api, firstStart, saveDefinition } from './actions.mjs';
import { definition, kPayload, priceList } from './fixtures.mjs';
import { personOf } from './people.mjs';

const kAddress = '/definitions/supplier_price_list';
const editor = (page) => page.getByRole('textbox', { name: 'Text of the definition' });

/** Replaces the whole text, as somebody who pastes it. */
async function write(page, text) {
  await editor(page).click();
  await page.keyboard.press('Control+a');
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press('Control+v');
}

const tests = [
  ['a definition shows what becomes of a file, as a picture and as a table', async (page) => {
    await firstStart(page);
    await page.goto('/definitions');
    await page.getByText('No definitions yet.').waitFor();
    await accessible(page, 'definitions, empty');
    equal((await saveDefinition(page)).status, 201, 'the definition is saved');
    await page.reload();
    await page.getByRole('link', { name: 'Supplier price list' }).click();
    await page.waitForURL(new RegExp(`${kAddress}$`));
    await page.getByRole('button', { name: 'EK netto' }).hover();
    equal(await page.getByRole('button', { name: /^net_price/ }).getAttribute('data-on'), 'true', 'the way of the column is lit');
    equal(await page.getByRole('button', { name: /^currency/ }).getAttribute('data-on'), null, 'another column');
    await accessible(page, 'definition');
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('cell', { name: 'EK netto, Preis' }).waitFor();
    await accessible(page, 'definition as a table');
    const [template] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Template' }).click()]);
    check(/\.xlsx$/.test(template.suggestedFilename()), `the template is a workbook: ${template.suggestedFilename()}`);
  }],

  ['a fault is shown at its line, and nothing wrong can be saved', async (page) => {
    await page.goto(`${kAddress}/edit`);
    await editor(page).waitFor();
    await page.getByText('Save as version 2').waitFor();
    const lines = definition.split('\n');
    const wrong = lines.findIndex((line) => line.includes('net_price:'));
    lines[wrong] = '  net_price:     {from: [EK netto, Preis], type: "decimal(14,4)", localle: de-DE, required: true}';
    await write(page, lines.join('\n'));
    const fault = page.getByRole('button', { name: `Go to line ${wrong + 1}` });
    await fault.waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    equal(await page.getByRole('button', { name: /^Save as version/ }).getAttribute('aria-disabled'), 'true', 'the button with a fault');
    await fault.click();
    equal(await page.locator('.cm-lineNumbers .cm-activeLineGutter').innerText(), String(wrong + 1), 'the line of the cursor');
    await accessible(page, 'editor with a fault');
    await page.reload();
    await page.getByText('This is your unsaved text').waitFor();
    await fault.waitFor();
    await page.getByRole('button', { name: 'Go back to version 1' }).click();
    await page.getByText('No faults.').first().waitFor();
  }],

  ['a change is saved as the next version and compared with the one before', async (page) => {
    await page.goto(`${kAddress}/edit`);
    await write(page, definition.replace('max_length: 200', 'max_length: 300'));
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByText('Saved as version 2.').waitFor();
    await page.getByText('Save as version 3').waitFor();
    await page.goto(`${kAddress}/versions`);
    await page.getByText('max_length: 200').waitFor();
    await page.getByText('max_length: 300').waitFor();
    await accessible(page, 'versions');
    equal((await api(page, 'GET', '/api/v1/definitions/supplier_price_list')).body.version, 2, 'the version on the server');
  }],

  ['a new definition takes its name from its text', async (page) => {
    await page.goto('/definitions');
    await page.getByRole('link', { name: 'New definition' }).click();
    await editor(page).waitFor();
    await write(page, definition.replace('supplier_price_list', 'another_list').replace('Supplier price list', 'Another list'));
    await page.getByRole('button', { name: 'Save the definition' }).click();
    await page.waitForURL(/\/definitions\/another_list\/edit/);
  }],

  ['a definition is tried with a file, and nothing is written', async (page) => {
    await page.goto(`${kAddress}/try`);
    const file = priceList(30).toString('latin1').replace('"Lagerort', 'Mengeneinheit;"Lagerort').replace(/;ME;/, ';Mengeneinheit;').replace('Mengeneinheit;"Lagerort', '"Lagerort');
    await page.locator('main input[type=file]').setInputFiles({ name: 'try.csv', mimeType: 'text/csv', buffer: Buffer.from(file.split('\r\n').slice(2).join('\r\n'), 'latin1') });
    await page.getByRole('button', { name: 'Forget it' }).waitFor({ timeout: 30_000 });
    await page.getByText('Problems', { exact: true }).waitFor();
    await accessible(page, 'try');
    await noScriptRan(page, 'try');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.getByText('The try is forgotten.').waitFor();
    const jobs = (await api(page, 'GET', '/api/v1/imports')).body.items;
    check(jobs.every((job) => job.rows.inserted === 0 || job.status === 'rejected'), `nothing was written: ${JSON.stringify(jobs.map((job) => job.status))}`);
  }],

  ['somebody is invited with a link that is shown once', async (page, context) => {
    await page.goto('/admin/users');
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('E-mail address').fill('kari@example.com');
    await page.getByLabel('Name').fill(kPayload);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Send this link to kari@example.com').waitFor();
    // What is shown once is not lost by a stray key or click.
    await page.locator('[data-secret]').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    const link = await page.locator('[data-secret]').innerText();
    check(/^http:\/\/.*\/welcome\/\S{20,}$/.test(link), `a whole link: ${link}`);
    await accessible(page, 'link of an invitation');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(kPayload).waitFor();
    await noScriptRan(page, 'users');
    await page.getByText('invited, no password yet').waitFor();
    await accessible(page, 'users');
    await page.getByRole('combobox', { name: 'Role: kari@example.com' }).click();
    await page.getByRole('option', { name: 'Reviewer' }).click();
    await page.getByText('kari@example.com is now Reviewer.').waitFor();
    await page.getByRole('row', { name: /kari@example.com/ }).getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Turn off' }).click();
    await page.getByText('They are signed out and their tokens stop working.').waitFor();
    await page.getByRole('button', { name: 'Turn off the user' }).click();
    await page.getByText('turned off', { exact: true }).waitFor();
    const person = await personOf(page, context, 'viewer');
    await person.page.goto(`${kAddress}/edit`);
    await person.page.getByText('You can look, but not change definitions.').waitFor();
    equal(await person.page.getByRole('button', { name: /^Save/ }).count(), 0, 'ways to save for a viewer');
    await person.close();
  }],

  ['a token is shown once, works, and is revoked', async (page) => {
    await page.goto('/admin/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('What it is for').fill(`nightly ${kPayload}`);
    await accessible(page, 'new token');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('It is shown this once').waitFor();
    const token = await page.locator('[data-secret]').innerText();
    const asked = () => page.evaluate(async (secret) => (await fetch('/api/v1/imports', { credentials: 'omit', headers: { Authorization: `Bearer ${secret}` } })).status, token);
    equal(await asked(), 200, 'a call with the token');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText(`nightly ${kPayload}`).waitFor();
    await noScriptRan(page, 'tokens');
    check(!(await page.content()).includes(token), 'the token is on the page no more');
    await accessible(page, 'tokens');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByText('revoked', { exact: true }).waitFor();
    equal(await asked(), 401, 'a call with the revoked token');
  }],

  ['the audit shows who did what, and that its chain holds', async (page) => {
    await page.goto('/admin/audit');
    await page.getByText(/Chain verified up to .*none changed or missing/).waitFor();
    await page.getByRole('cell', { name: 'tokens.create' }).first().waitFor();
    await accessible(page, 'audit');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export all that match' }).click();
    equal((await saving).suggestedFilename(), 'audit.ndjson', 'the file');
    await page.getByText(/\d+ entries are in the file\./).waitFor();
    await page.getByPlaceholder('What (such as imports.approve)').fill('users.create');
    await page.waitForURL(/action=users\.create/);
    await page.getByRole('cell', { name: 'tokens.create' }).first().waitFor({ state: 'hidden' });
    await page.getByRole('cell', { name: 'users.create' }).first().waitFor();
    await noScriptRan(page, 'audit');
  }],

  ['a company is made, and its own is changed', async (page) => {
    await page.goto('/admin/companies');
    await page.getByRole('checkbox', { name: /^Four eyes/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    equal((await api(page, 'GET', '/api/v1/company')).body.approver_must_differ, true, 'four eyes on the server');
    await accessible(page, 'companies');
    await page.getByRole('button', { name: 'New company' }).click();
    await page.getByLabel('Short name').fill('nordhandel');
    await page.getByLabel('E-mail address of its first administrator').fill('ola@example.com');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Send this link to ola@example.com').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'nordhandel' }).first().waitFor();
  }],
];

await run(tests);
