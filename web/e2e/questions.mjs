// What only a person knows: the order of dates, the edits that a new preview keeps, the text that is looked for, the reason of a rejection,
// and what they mean when they say all of them, or once more.
import { accessible, base, check, equal, noScriptRan, run } from './harness.mjs';
import { api, firstStart, otherDevice, saved, uploadIn } from './actions.mjs';
import { kPayload } from './fixtures.mjs';
import { importText, waitForImport } from './people.mjs';

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

  ['going back makes a new preview, on another device, and keeps the edits', async (page, context) => {
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
    // The draft has what was chosen and what was corrected: this browser is not needed any more.
    const device = await otherDevice(context);
    await device.page.goto('/imports');
    await device.page.getByText('Not finished: deliveries.csv, step 3 of 4').waitFor();
    await device.page.getByRole('link', { name: 'Continue' }).click();
    await device.page.getByText('1 row that you have corrected in the preview is kept.').waitFor();
    equal(await order(device.page).locator('[aria-pressed=true]').innerText(), 'Day first, DD/MM/YYYY', 'the order that was chosen before');
    await accessible(device.page, 'new import, once more');
    await order(device.page).getByRole('button', { name: 'Month first, MM/DD/YYYY' }).click();
    await saved(device.page);
    await device.page.reload();
    await device.page.getByRole('button', { name: 'Check 60 rows' }).click();
    await device.page.waitForURL((address) => /\/preview/.test(address.pathname) && !address.pathname.includes(first));
    await device.page.getByRole('button', { name: 'Import 59 new' }).waitFor({ timeout: 60_000 });
    job = idOf(device.page);
    equal(await cell(device.page, 7, 1).innerText(), 'Seventh crate', 'the edit in the new preview');
    check(device.page.faults.length === 0, `faults in the page: ${device.page.faults.join(' | ')}`);
    await device.close();
    const now = (await api(page, 'GET', `/api/v1/imports/${job}`)).body;
    equal(`${now.comparison.insert} ${now.comparison.fail} ${now.revision}`, '59 1 1', 'new, failed, revision');
    equal((await api(page, 'GET', `/api/v1/imports/${first}`)).body.status, 'cancelled', 'the preview that was left');
  }],

  ['the order of dates is remembered with the columns', async (page) => {
    await page.goto('/new');
    await uploadIn(page, 'deliveries-2.csv', Buffer.from('Nr,Name,Arrived\n101,Crate 101,03/04/2026\n102,Crate 102,05/06/2026\n'));
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByRole('button', { name: 'Match columns' }).click();
    await order(page).locator('[aria-pressed=true]').waitFor();
    equal(await order(page).locator('[aria-pressed=true]').innerText(), 'Month first, MM/DD/YYYY', 'the order that was remembered');
    await page.getByText('Every value fits several orders of day and month. remembered').waitFor();
    await accessible(page, 'new import, remembered order');
    await page.getByRole('button', { name: 'Check 2 rows' }).click();
    await page.waitForURL(/\/preview/);
    await approve(page).waitFor({ timeout: 60_000 });
    const changes = JSON.stringify((await api(page, 'GET', `/api/v1/imports/${idOf(page)}/diff`)).body);
    check(changes.includes('2026-03-04') && changes.includes('2026-05-06'), `the fourth of March and the sixth of May: ${changes.slice(0, 400)}`);
    await api(page, 'POST', `/api/v1/imports/${idOf(page)}/cancel`, {});
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
    await page.keyboard.press('5');
    await page.waitForURL(/\/events$/);
    const audit = page.getByRole('region', { name: 'Audit' });
    await audit.getByRole('cell', { name: 'imports.reject' }).waitFor();
    await audit.getByRole('cell', { name: 'imports.take_over' }).waitFor();
    await noScriptRan(page, 'import, events');
    await accessible(page, 'import, events');
  }],

  ['importing a file again asks first, and writes nothing before it is approved', async (page) => {
    await page.goto(`/imports/${job}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Import the same file again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('nothing is written before somebody approves it').waitFor();
    await accessible(page, 'importing again');
    await dialog.getByRole('button', { name: 'Check it again' }).click();
    await page.waitForURL((address) => /\/preview/.test(address.pathname) && !address.pathname.includes(job));
    await page.getByRole('button', { name: 'Import 58 new' }).waitFor({ timeout: 60_000 });
    equal((await api(page, 'GET', `/api/v1/imports/${idOf(page)}`)).body.status, 'waiting_for_review', 'the clone');
  }],

  ['all imports that match are a choice of their own', async (page) => {
    await page.goto('/imports');
    const more = [];
    for (const number of [1, 2]) more.push(await importText(page, `more-${number}.csv`, `Nr,Name,Arrived\n${200 + number},Crate,2026-01-0${number}\n`, { definition: 'deliveries', review: 'always' }));
    for (const id of more) await waitForImport(page, id, 'waiting_for_review');
    await page.goto('/imports?status=review');
    await page.getByRole('link', { name: 'more-2.csv' }).waitFor();
    await page.getByRole('checkbox', { name: 'Select more-2.csv' }).click();
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 3 that match' }).click();
    await page.getByText('3 selected: all that match').waitFor();
    equal(await page.getByRole('checkbox', { checked: true }).count(), 3, 'marks in the list');
    await accessible(page, 'imports, all that match');
    // Taking one away leaves the others.
    await page.getByRole('checkbox', { name: 'Select deliveries.csv' }).click();
    await page.getByText('2 selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Select all 3 that match' }).click();
    await page.getByRole('button', { name: 'Cancel 3' }).click();
    await page.getByRole('dialog').getByText('Cancel 3 imports?').waitFor();
    await page.getByRole('button', { name: 'Keep running' }).click();
    equal((await api(page, 'GET', '/api/v1/imports/counts')).body.waiting_for_review, 3, 'imports after the way out');
    await page.getByRole('button', { name: 'Cancel 3' }).click();
    await page.getByRole('button', { name: 'Cancel 3 imports' }).click();
    await page.getByText('No import fits these filters').waitFor();
    equal((await api(page, 'GET', '/api/v1/imports/counts')).body.waiting_for_review, 0, 'imports that wait');
  }],
];

await run(tests);
