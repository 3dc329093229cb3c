// What only a person knows: the order of dates, the edits that a new preview keeps, the text that is looked for, the reason of a rejection.
import { accessible, base, check, equal, noScriptRan, run } from './harness.mjs';
import { api, firstStart, saved, uploadIn } from './actions.mjs';
import { kPayload } from './fixtures.mjs';

const definition = `lade: 1
definition: deliveries
name: Deliveries
columns:
  number:  {from: Nr, type: integer, required: true}
  name:    {from: Name, required: true}
  arrived: {from: Arrived, type: date}
load:
  - table: delivery
    key: number
    columns: [number, name, arrived]
`;
// Every date fits both orders; two rows have no name.
const rows = Array.from({ length: 60 }, (_, at) => `${at + 1},${at === 6 || at === 20 ? '' : at === 9 ? `"${kPayload.replaceAll('"', '""')}"` : `Crate ${at + 1}`},0${(at % 9) + 1}/0${(at % 7) + 1}/2026`);
const file = Buffer.from(`Nr,Name,Arrived\n${rows.join('\n')}\n`);

const grid = (page) => page.getByRole('grid', { name: 'Rows' });
const cell = (page, row, column) => page.locator(`[data-row="${row}"] [data-column="${column}"]`);
const approve = (page) => page.getByRole('button', { name: /^Import \d/ });
const order = (page) => page.getByRole('group', { name: 'Order of the dates in arrived' });
const idOf = (page) => new URL(page.url()).pathname.split('/')[2];

async function edit(page, row, column, text) {
  await cell(page, row, column).click();
  await page.keyboard.press('F2');
  const editor = grid(page).getByRole('textbox');
  await editor.fill(text);
  await editor.press('Enter');
}

let first = '';
let job = '';

const tests = [
  ['an order of dates that cannot be known is asked for, with nothing preselected', async (page) => {
    await firstStart(page);
    equal((await api(page, 'PUT', '/api/v1/definitions/deliveries', definition, 'application/yaml')).status < 300, true, 'the definition is stored');
    await page.goto('/new');
    await uploadIn(page, 'deliveries.csv', file);
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByRole('button', { name: 'Match columns' }).click();
    await order(page).waitFor();
    equal(await order(page).locator('[aria-pressed=true]').count(), 0, 'orders that are preselected');
    await page.getByText('To go on: the order of day and month in arrived.').waitFor();
    const button = page.getByRole('button', { name: 'Check 60 rows' });
    equal(await button.getAttribute('aria-disabled'), 'true', 'the button without an order');
    await accessible(page, 'new import, order of dates');
    await order(page).getByRole('button', { name: 'Day first, DD/MM/YYYY' }).click();
    await saved(page);
    await page.reload();
    await order(page).locator('[aria-pressed=true]').waitFor();
    equal(await order(page).locator('[aria-pressed=true]').innerText(), 'Day first, DD/MM/YYYY', 'the order after a reload');
    await page.getByRole('button', { name: 'Check 60 rows' }).click();
    await page.waitForURL(/\/preview/);
    await approve(page).waitFor({ timeout: 60_000 });
    first = idOf(page);
    const { items } = (await api(page, 'GET', `/api/v1/imports/${first}/grid?row=2&limit=1`)).body;
    equal(items[0].values[2], '02/02/2026', 'the cell');
    const changes = (await api(page, 'GET', `/api/v1/imports/${first}/diff`)).body;
    check(JSON.stringify(changes).includes('2026-01-08') && !JSON.stringify(changes).includes('2026-08-01'), `08/01/2026 is the eighth of January: ${JSON.stringify(changes).slice(0, 400)}`);
  }],

  ['going back makes a new preview and keeps the edits', async (page) => {
    await page.goto(`/new/${first}/preview`);
    await approve(page).waitFor();
    await edit(page, 7, 1, 'Seventh crate');
    await page.getByRole('button', { name: 'Import 59 new' }).waitFor();
    await page.getByText('Going back makes a new preview; your 1 edit is kept.').waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('dialog').getByText('Going back makes a new preview; your 1 edit is kept.').waitFor();
    await accessible(page, 'preview, going back');
    await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
    await page.waitForURL(/\/match/);
    await order(page).getByRole('button', { name: 'Month first, MM/DD/YYYY' }).click();
    await saved(page);
    await page.reload();
    await page.getByRole('button', { name: 'Check 60 rows' }).click();
    await page.waitForURL((address) => /\/preview/.test(address.pathname) && !address.pathname.includes(first));
    await page.getByRole('button', { name: 'Import 59 new' }).waitFor({ timeout: 60_000 });
    job = idOf(page);
    equal(await cell(page, 7, 1).innerText(), 'Seventh crate', 'the edit in the new preview');
    const now = (await api(page, 'GET', `/api/v1/imports/${job}`)).body;
    equal(`${now.comparison.insert} ${now.comparison.fail} ${now.revision}`, '59 1 1', 'new, failed, revision');
    equal((await api(page, 'GET', `/api/v1/imports/${first}`)).body.status, 'cancelled', 'the preview that was left');
  }],

  ['rows are found by a text in any cell, whatever its case', async (page) => {
    await page.goto(`/imports/${job}/review`);
    await grid(page).getByRole('row').nth(5).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('CRATE 4');
    await page.waitForURL(/text=CRATE\+4/);
    await page.getByText('of 11 rows (60 in the file)').waitFor();
    await cell(page, 40, 1).waitFor();
    equal(await cell(page, 1, 1).count(), 0, 'rows without the text');
    await accessible(page, 'review, found by text');
    await page.reload();
    await page.getByText('of 11 rows (60 in the file)').waitFor();
    const box = page.getByRole('textbox', { name: 'Text in any cell' });
    await box.fill(kPayload);
    await cell(page, 10, 1).waitFor();
    await noScriptRan(page, 'review, found by text');
    await box.fill('nowhere');
    await page.getByText('No cell of these rows has “nowhere”.').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await cell(page, 1, 1).waitFor();
  }],

  ['a rejection needs a reason, which stands on the page of the import', async (page) => {
    const reason = `the dates are of last year ${kPayload}`;
    await page.goto(`/imports/${job}/review`);
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog');
    equal(await dialog.getByRole('button', { name: 'Reject the import' }).getAttribute('aria-disabled'), 'true', 'the button without a reason');
    await accessible(page, 'rejecting');
    await dialog.getByRole('textbox').fill('   ');
    equal(await dialog.getByRole('button', { name: 'Reject the import' }).getAttribute('aria-disabled'), 'true', 'the button with a blank reason');
    await dialog.getByRole('textbox').fill(reason);
    await dialog.getByRole('button', { name: 'Reject the import' }).click();
    await page.waitForURL(`${base}/imports/${job}`);
    await page.getByText(`: “${reason}”. Nothing was written.`).waitFor({ timeout: 30_000 });
    await page.getByText(`rejected it: “${reason}”.`).waitFor();
    await accessible(page, 'import, rejected');
    await noScriptRan(page, 'import, rejected');
    equal((await api(page, 'GET', `/api/v1/imports/${job}`)).body.rejected_because, reason, 'what the server has');
  }],
];

await run(tests);
