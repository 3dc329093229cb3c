// An import with errors: looked at, fixed, approved, watched, downloaded, fixed again and undone; and a grid of a million rows.
import { readFile } from 'node:fs/promises';
import { accessible, base, check, equal, noScriptRan, run } from './harness.mjs';
import { api, firstStart, saveDefinition } from './actions.mjs';
import { kFileName, kPayload, kRows, priceList } from './fixtures.mjs';

const kMany = 1_000_000;
// The promise is 100 ms; a program with sanitizers is slower (tests/browser/run.py says by how much it may be).
const kPageFill = 100 * Number(process.env.LADE_SLOW ?? 1);

let job = null;
let many = null;
let failed = 0;

const grid = (page) => page.getByRole('grid', { name: 'Rows' });
const cell = (page, row, column) => page.locator(`[data-row="${row}"] [data-column="${column}"]`);
const show = async (page, id) => (await api(page, 'GET', `/api/v1/imports/${id}`)).body;
const approve = (page) => page.getByRole('button', { name: /^Import \d/ });

/** Uploads bytes and imports them; the answer is the import. */
async function begin(page, name, bytes, options) {
  const made = await page.evaluate(
    async ([file, text, more]) => {
      const binary = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
      const form = new FormData();
      form.append('file', new File([binary], file));
      const stored = await (await fetch('/api/v1/files', { method: 'POST', body: form })).json();
      const answer = await fetch('/api/v1/imports', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ file_id: stored.file_id, ...more }) });
      return { status: answer.status, body: await answer.json() };
    },
    [name, bytes.toString('base64'), options],
  );
  check(made.status === 201 || made.status === 202, `the import of ${name}: ${JSON.stringify(made.body)}`);
  return made.body;
}

/** Waits for what the server says, not for a time. */
async function until(page, id, fits, words) {
  const last = Date.now() + 120_000;
  for (;;) {
    const now = await show(page, id);
    if (fits(now)) return now;
    check(Date.now() < last && now.status !== 'failed', `${words}: ${JSON.stringify(now)}`);
    await page.waitForTimeout(100);
  }
}

async function edit(page, row, column, text) {
  await cell(page, row, column).click();
  await page.keyboard.press('F2');
  const editor = grid(page).getByRole('textbox');
  await editor.fill(text);
  await editor.press('Enter');
}

function manyRows() {
  const lines = ['Nr;Name;Menge'];
  for (let at = 1; at <= kMany; at += 1) lines.push(`${at};Artikel ${at % 977};${at % 100_000 === 77 ? 'viele' : at % 500}`);
  return Buffer.from(`${lines.join('\n')}\n`);
}

const manyDefinition = `lade: 1
definition: many_rows
name: Many rows
columns:
  number:   {from: Nr, type: integer, required: true}
  name:     {from: Name, required: true}
  quantity: {from: Menge, type: integer}
load:
  - table: many_rows
    key: number
    columns: [number, name, quantity]
review: always
`;

const tests = [
  ['a preview says what will happen, in the words of the file', async (page) => {
    await firstStart(page);
    equal((await saveDefinition(page)).status < 300, true, 'the definition is stored');
    job = await begin(page, kFileName, priceList(), { definition: 'supplier_price_list', source: { header_row: 3 }, mapping: { unit: 'ME' }, review: 'always' });
    job = await until(page, job.job_id, (now) => now.status === 'waiting_for_review', 'waits for review');
    failed = job.comparison.fail;
    check(failed > 10, `failed rows: ${failed}`);
    await page.goto(`/imports/${job.job_id}`);
    await page.getByRole('link', { name: `Review ${failed} failed rows and ${job.comparison.insert + job.comparison.update} changes` }).click();
    await page.waitForURL(/\/review/);
    equal(await approve(page).innerText(), `Import ${job.comparison.insert} new and ${job.comparison.update} changed`, 'the button');
    await grid(page).getByText(kPayload).first().waitFor();
    await page.getByRole('columnheader', { name: `Lagerort ${kPayload}` }).waitFor();
    await noScriptRan(page, 'review');
    await accessible(page, 'review');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await grid(page).getByText(kPayload).first().waitFor();
    await accessible(page, 'review, dark');
  }],

  ['issues are walked by keyboard, and said beside the cell', async (page) => {
    await page.goto(`/imports/${job.job_id}/review`);
    await grid(page).getByRole('row').nth(3).waitFor();
    await grid(page).focus();
    await page.keyboard.press(']');
    await page.waitForURL(/row=4/);
    await page.getByText(`issue 1 of ${failed}`).waitFor();
    equal(await cell(page, 4, 5).getAttribute('aria-selected'), 'true', 'the cell with the issue is the active one');
    check(/Befest\./.test(await cell(page, 4, 5).getAttribute('aria-label')), 'the cell is named by its value and message');
    await page.keyboard.press(']');
    await page.waitForURL(/row=8/);
    await page.keyboard.press('[');
    await page.waitForURL(/row=4/);
    await page.reload();
    await page.getByRole('complementary', { name: 'Row 4' }).waitFor();
    await page.getByText('nothing until it is fixed').waitFor();
  }],

  ['two rows are fixed in place; the numbers on the button follow', async (page) => {
    await page.goto(`/imports/${job.job_id}/review?state=failed`);
    const before = await show(page, job.job_id);
    await edit(page, 18, 2, '1204,50');
    await page.getByText('1 row no longer fits the filter').waitFor();
    await edit(page, 42, 2, 'noch immer falsch');
    await page.getByText('2 edits re-checked').waitFor();
    check(/noch immer falsch/.test(await cell(page, 42, 2).getAttribute('aria-label')), 'a wrong value stays to be seen');
    await edit(page, 42, 2, '17,30');
    await page.getByText('2 rows no longer fit the filter').waitFor();
    await page.getByRole('button', { name: `Import ${before.comparison.insert + 2} new and ${before.comparison.update} changed` }).waitFor();
    await page.getByRole('button', { name: 'Apply again' }).click();
    await cell(page, 18, 2).waitFor({ state: 'detached' });
    await grid(page).focus();
    await page.keyboard.press('Control+z');
    await page.getByText('Undone.').waitFor();
    await page.getByRole('button', { name: `Import ${before.comparison.insert + 1} new and ${before.comparison.update} changed` }).waitFor();
    await page.goto(`/imports/${job.job_id}/review?row=42`);
    await cell(page, 42, 2).waitFor();
    await edit(page, 42, 2, '17,30');
    await page.getByRole('button', { name: `Import ${before.comparison.insert + 2} new and ${before.comparison.update} changed` }).waitFor();
    equal((await show(page, job.job_id)).comparison.fail, failed - 2, 'rows that are still wrong');
  }],

  ['one value is replaced in all rows that have it, after counting', async (page) => {
    await page.goto(`/imports/${job.job_id}/review?row=4`);
    await cell(page, 4, 5).waitFor();
    await cell(page, 4, 5).click();
    await page.keyboard.press('Control+h');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Replace with').fill('Befestigung');
    await accessible(page, 'replace');
    await dialog.getByRole('button', { name: 'Replace in 8 cells' }).click();
    await page.getByText('Replaced in 8 cells.').waitFor();
    equal((await show(page, job.job_id)).comparison.fail, failed - 10, 'rows that are still wrong');
    failed -= 10;
  }],

  ['somebody else’s edit makes new numbers, which have to be pressed again', async (page) => {
    await page.goto(`/imports/${job.job_id}/review`);
    await approve(page).waitFor();
    const before = await show(page, job.job_id);
    // Between what is on the screen and the press: the stream is cut off.
    await page.route('**/events**', (route) => route.abort());
    await page.reload();
    await approve(page).waitFor();
    equal((await api(page, 'PATCH', `/api/v1/imports/${job.job_id}/rows/151`, { values: { 'EK netto': '3,10' } })).status, 200, 'the other edit');
    await approve(page).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Import/ }).click();
    await page.getByText(/this is now revision/).waitFor();
    await page.getByRole('button', { name: `Import ${before.comparison.insert + 1} new and ${before.comparison.update} changed` }).waitFor();
    equal((await show(page, job.job_id)).status, 'waiting_for_review', 'nothing was approved');
    failed -= 1;
    page.faults.length = 0; // the stream that was cut off
  }],

  ['a phone is enough to decide', async (page) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/imports/${job.job_id}/review`);
    await approve(page).waitFor();
    await page.getByText('Open this on a larger screen').waitFor();
    equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, 'pixels beyond the screen');
    await accessible(page, 'review on a phone');
    await noScriptRan(page, 'review on a phone');
  }],

  ['approving says what is left out, then the import is watched to its end', async (page) => {
    await page.goto(`/imports/${job.job_id}/review`);
    const label = await approve(page).innerText();
    await approve(page).click();
    await page.getByText(`${failed} failed rows are left out; you can fix and send them later.`).waitFor();
    await accessible(page, 'confirmation');
    await page.getByRole('dialog').getByRole('button', { name: label }).click();
    await page.waitForURL(`${base}/imports/${job.job_id}`);
    await page.getByText('Succeeded', { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    const { rows } = await show(page, job.job_id);
    equal(rows.inserted + rows.updated + rows.unchanged + rows.failed + rows.skipped, kRows, 'the ledger adds up');
    await page.getByRole('link', { name: `Failed ${(failed / kRows * 100).toFixed(1)} % ${failed}` }).waitFor();
    await accessible(page, 'import');
    await noScriptRan(page, 'import');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.reload();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    await accessible(page, 'import, dark');
  }],

  ['the failed rows are downloaded as they stand in the file', async (page) => {
    await page.goto(`/imports/${job.job_id}`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: `Failed rows ${failed}` }).click()]);
    const text = await readFile(await download.path(), 'utf8');
    check(text.includes('Art.-Nr.') && text.includes('EURO'), `the file has the columns and values of the source: ${text.slice(0, 300)}`);
    equal(text.trim().split('\n').length, failed + 1, 'lines of the file');
  }],

  ['every part of the page can be reached and read', async (page) => {
    for (const [at, part] of ['overview', 'rows', 'issues', 'tasks', 'events', 'settings'].entries()) {
      await page.goto(`/imports/${job.job_id}`);
      await page.getByRole('heading', { name: 'Result' }).waitFor();
      await page.keyboard.press(String(at + 1));
      await page.waitForURL(part === 'overview' ? `${base}/imports/${job.job_id}` : new RegExp(`/${part}`));
      await page.waitForFunction(() => document.querySelectorAll('[role=status][aria-label=Loading]').length === 0);
      await accessible(page, `import, ${part}`);
    }
    await page.goto(`/imports/${job.job_id}`);
    for (const part of ['Rows per second', 'Tasks']) await page.getByRole('region', { name: part }).getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Part', exact: true }).waitFor();
    await accessible(page, 'import, tables instead of charts');
  }],

  ['a failed row is fixed after the end and sent into the same import', async (page) => {
    await page.goto(`/imports/${job.job_id}`);
    await page.getByRole('link', { name: `Fix ${failed} rows` }).click();
    await cell(page, 100, 3).waitFor();
    await edit(page, 100, 3, 'EUR');
    await page.getByRole('button', { name: 'Send 1 fixed row' }).click();
    // It was made with `review: always`: somebody looks again.
    await until(page, job.job_id, (one) => one.status === 'waiting_for_review', 'waits for review again');
    await page.goto(`/imports/${job.job_id}/review`);
    await approve(page).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Import/ }).click();
    const now = await until(page, job.job_id, (one) => one.status === 'succeeded' && one.rows.failed === failed - 1, 'the fixed row is in');
    equal(now.rows.failed, failed - 1, 'rows that failed');
    failed -= 1;
  }],

  ['undo counts first, and takes the import back', async (page) => {
    await page.goto(`/imports/${job.job_id}`);
    const { rows } = await show(page, job.job_id);
    await page.getByRole('button', { name: /^Undo \(until/ }).click();
    await page.getByText(`${rows.inserted} inserted rows are removed`).waitFor();
    await page.getByText('3 updated rows get their old values back').waitFor();
    await accessible(page, 'undo');
    await page.getByRole('button', { name: `Undo ${rows.inserted + rows.updated} rows` }).click();
    await page.waitForURL((address) => /\/imports\/[0-9a-f-]{36}$/.test(address.pathname) && !address.pathname.includes(job.job_id));
    await page.getByText('Succeeded', { exact: true }).waitFor({ timeout: 60_000 });
    await page.goto(`/imports/${job.job_id}`);
    await page.getByText('Undone', { exact: true }).waitFor();
  }],

  ['without a stream the page asks until the import has ended', async (page) => {
    await page.goto('/imports');
    let other = await begin(page, 'without a stream.csv', priceList(30), { definition: 'supplier_price_list', source: { header_row: 3 }, mapping: { unit: 'ME' }, review: 'always' });
    other = await until(page, other.job_id, (now) => now.status === 'waiting_for_review', 'waits for review');
    await page.route('**/events', (route) => (route.request().resourceType() === 'eventsource' ? route.abort() : route.continue()));
    await page.goto(`/imports/${other.job_id}`);
    await page.getByText('Reconnecting').waitFor();
    equal((await api(page, 'POST', `/api/v1/imports/${other.job_id}/approve`, { revision: other.revision })).status < 300, true, 'approved elsewhere');
    await page.getByText('Succeeded', { exact: true }).waitFor({ timeout: 40_000 });
    page.faults.length = 0; // the streams that were cut off
  }],

  ['an import is paused and goes on', async (page) => {
    await page.goto('/imports');
    equal((await api(page, 'PUT', '/api/v1/definitions/many_rows', manyDefinition, 'application/yaml')).status < 300, true, 'the definition is stored');
    many = (await api(page, 'POST', '/api/v1/imports', { definition: 'many_rows' })).body;
    await page.goto(`/imports/${many.job_id}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused. Tasks that have started finish first.').waitFor();
    await page.getByText('Paused', { exact: true }).first().waitFor();
    await accessible(page, 'import, paused');
    // Its file comes while it is paused: nothing begins.
    const sent = await page.evaluate(async ([id, text]) => (await fetch(`/api/v1/imports/${id}/file?name=many.csv`, { method: 'PUT', headers: { 'Content-Type': 'application/octet-stream' }, body: new Blob([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))]) })).status, [many.job_id, manyRows().toString('base64')]);
    check(sent < 300, `the file that came later: ${sent}`);
    equal((await show(page, many.job_id)).rows_total, null, 'rows read while it is paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Waiting for review', { exact: true }).first().waitFor({ timeout: 240_000 });
  }],

  [`${kMany} rows: any page is there within ${kPageFill} ms`, async (page) => {
    await page.goto(`/imports/${many.job_id}/review`);
    await grid(page).getByRole('row').nth(5).waitFor();
    const times = await page.evaluate(async (rows) => {
      const box = document.querySelector('[role=grid]');
      const taken = [];
      // The first visit of a part of the file also reads it from the disk; the second one is what scrolling costs.
      for (const share of [0.1, 0.5, 0.9, 1, 0.33, 0.66, 0.2, 0.75, 0.05, 0.95]) {
        const begun = performance.now();
        box.scrollTop = share * (box.scrollHeight - box.clientHeight);
        const wanted = Math.round(share * (rows - 30));
        await new Promise((done) => {
          const look = () => {
            const there = [...box.querySelectorAll('[data-row]')].some((one) => Math.abs(Number(one.dataset.row) - wanted) < 60);
            if (there) done();
            else requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        });
        taken.push(performance.now() - begun);
        await new Promise((done) => setTimeout(done, 120));
      }
      return taken.sort((a, b) => a - b);
    }, kMany);
    console.log(`        page fill: ${times.map((one) => Math.round(one)).join(', ')} ms`);
    check(times[Math.floor(times.length / 2)] <= kPageFill, `half of the pages took longer than ${kPageFill} ms`);
    const drawn = await grid(page).getByRole('row').count();
    check(drawn <= 61, `rows in the page: ${drawn}`);
    // The wheel moves by rows, where one pixel of the scrollbar is several of them.
    await page.evaluate(() => {
      document.querySelector('[role=grid]').scrollTop = 0;
    });
    await cell(page, 1, 0).waitFor();
    await grid(page).hover();
    await page.mouse.wheel(0, 280);
    await page.getByText(/^Rows 11–/).waitFor();
    await grid(page).focus();
    await page.keyboard.press('Control+End');
    await cell(page, kMany, 0).waitFor();
    await page.keyboard.press('Control+g');
    await page.getByRole('textbox', { name: 'Go to row' }).fill('777777');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Row 777,777' }).waitFor();
    await page.keyboard.press(']');
    await page.getByRole('complementary', { name: 'Row 800,077' }).waitFor();
    await accessible(page, 'a million rows');
  }],
];

await run(tests);
