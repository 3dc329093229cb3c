// Pages that change while somebody works in them: what comes in is shown, and nothing that was typed or pressed is lost or does something else.
import { check, equal, run } from './harness.mjs';
import { api, firstStart, saveDefinition } from './actions.mjs';
import { kFileName, priceList } from './fixtures.mjs';

let job = null;
let failed = null;

const grid = (page) => page.getByRole('grid', { name: 'Rows' });
const cell = (page, row, column) => page.locator(`[data-row="${row}"] [data-column="${column}"]`);
const editor = (page) => grid(page).getByRole('textbox');
const show = async (page, id) => (await api(page, 'GET', `/api/v1/imports/${id}`)).body;
const oneRow = async (page, id, row) => (await api(page, 'GET', `/api/v1/imports/${id}/grid?row=${row}&limit=1`)).body.items[0].values;

async function begin(page, name, options = {}) {
  const made = await page.evaluate(
    async ([file, text, more]) => {
      const form = new FormData();
      form.append('file', new File([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))], file));
      const stored = await (await fetch('/api/v1/files', { method: 'POST', body: form })).json();
      const body = { file_id: stored.file_id, definition: 'supplier_price_list', source: { header_row: 3 }, mapping: { unit: 'ME' }, review: 'always', force: true, ...more };
      return (await fetch('/api/v1/imports', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json();
    },
    [name, priceList(60).toString('base64'), options],
  );
  check(made.job_id, `the import of ${name}: ${JSON.stringify(made)}`);
  return made;
}

async function until(page, id, fits, words) {
  const last = Date.now() + 60_000;
  for (;;) {
    const now = await show(page, id);
    if (fits(now)) return now;
    check(Date.now() < last, `${words}: ${JSON.stringify(now)}`);
    await page.waitForTimeout(100);
  }
}

const waits = (page, id) => until(page, id, (now) => now.status === 'waiting_for_review', 'waits for review');

/** The streams of the page, to be cut off or hidden as a network or a browser would. */
const watchStreams = (page) =>
  page.addInitScript(() => {
    const Source = globalThis.EventSource;
    globalThis.streams = [];
    globalThis.EventSource = class extends Source {
      constructor(address) {
        super(address);
        globalThis.streams.push(this);
      }
    };
    globalThis.isHidden = false;
    Object.defineProperty(document, 'hidden', { get: () => globalThis.isHidden });
  });

const tests = [
  ['a stream that was cut off comes back', async (page) => {
    await watchStreams(page);
    await firstStart(page);
    check((await saveDefinition(page)).status < 300, 'the definition is stored');
    await page.goto('/imports');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('No imports yet.').waitFor();
    const first = await begin(page, 'first.csv');
    await page.getByText('1 newer import').waitFor();
    job = await waits(page, first.job_id);
    await page.evaluate(() => {
      const stream = globalThis.streams.at(-1);
      stream.close();
      stream.dispatchEvent(new Event('error'));
    });
    await page.getByText('Reconnecting').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    await begin(page, 'second.csv');
    await page.getByText('1 newer import').waitFor();
  }],

  ['a hidden tab keeps little, and asks anew when it is shown', async (page) => {
    await watchStreams(page);
    await page.goto('/imports');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    await page.evaluate((one) => {
      globalThis.isHidden = true;
      for (let at = 0; at < 5_000; at += 1) globalThis.streams.at(-1).dispatchEvent(new MessageEvent('import', { data: JSON.stringify({ ...one, file: `unseen ${at}.csv` }) }));
    }, job);
    await page.waitForTimeout(1_500);
    const asked = page.waitForResponse((answer) => answer.url().includes('/api/v1/imports?'));
    await page.evaluate(() => { globalThis.isHidden = false; });
    await asked;
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    equal(await page.getByText(/^unseen/).count(), 0, 'files that were only told of while nobody looked');
  }],

  ['Enter opens the link that has the focus', async (page) => {
    await page.goto('/imports');
    await page.getByRole('link', { name: 'first.csv' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`${job.job_id}/review`));
    await page.goto('/imports');
    await page.getByRole('link', { name: 'first.csv' }).waitFor();
    await page.getByRole('link', { name: /^Failed/ }).first().focus();
    await page.keyboard.press('j');
    await page.waitForURL(/row=/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/imports\/[0-9a-f-]{36}/);
  }],
  ['what is typed into a cell is text, not commands', async (page) => {
    await page.goto(`/imports/${job.job_id}/review`);
    await cell(page, 2, 1).click();
    await page.keyboard.type('new one');
    equal(await editor(page).inputValue(), 'new one', 'the editor');
    check(page.url().includes('/review'), `the page is left: ${page.url()}`);
    await editor(page).dblclick({ position: { x: 20, y: 10 } });
    equal(await editor(page).inputValue(), 'new one', 'the editor after two clicks into it');
    await cell(page, 3, 1).click();
    await page.getByText('1 edit re-checked').waitFor();
    equal((await oneRow(page, job.job_id, 2))[1], 'new one', 'the cell that was left by a click');
    await page.keyboard.type('t');
    equal(await editor(page).inputValue(), 't', 'the next cell');
    await page.keyboard.press('Escape');
    await page.keyboard.press('d');
    await page.getByRole('complementary', { name: 'Row 3' }).waitFor({ state: 'detached' });
  }],

  ['of two reviewers none overwrites the other unseen', async (page) => {
    await page.goto(`/imports/${job.job_id}/review?state=failed`);
    await cell(page, 18, 2).click();
    await page.keyboard.press('F2');
    await editor(page).fill('1,10');
    equal((await api(page, 'PATCH', `/api/v1/imports/${job.job_id}/rows/18`, { values: { 'EK netto': '2,20' } })).status, 200, 'the other edit');
    await page.getByText(/this is now revision/).waitFor();
    await editor(page).press('Enter');
    await page.getByText('It now says “2,20”; yours is “1,10”.').waitFor();
    equal((await oneRow(page, job.job_id, 18))[2], '2,20', 'the cell of the other');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    // The same again, for a row that was read before the other wrote into it.
    equal((await api(page, 'PATCH', `/api/v1/imports/${job.job_id}/rows/42`, { values: { 'EK netto': '3,30' } })).status, 200, 'the other edit');
    await cell(page, 8, 5).click();
    await page.keyboard.press('F2');
    await editor(page).fill('Muttern');
    await editor(page).press('Enter');
    await until(page, job.job_id, (now) => now.revision >= 4, 'the edit of another row');
    await cell(page, 42, 2).click();
    await page.keyboard.press('F2');
    await editor(page).fill('4,40');
    await editor(page).press('Enter');
    await page.getByText('It now says “3,30”; yours is “4,40”.').waitFor();
    await page.getByRole('button', { name: 'Use mine' }).click();
    await page.getByText(/2 edits re-checked/).waitFor();
    equal((await oneRow(page, job.job_id, 42))[2], '4,40', 'the cell after a decision');
  }],

  ['edits are taken back one by one', async (page) => {
    await page.goto(`/imports/${job.job_id}/review?row=2`);
    for (const text of ['first', 'second']) {
      await cell(page, 2, 1).click();
      await page.keyboard.press('F2');
      await editor(page).fill(text);
      await editor(page).press('Enter');
    }
    await page.getByText('2 edits re-checked').waitFor();
    await page.getByRole('button', { name: '2 edits', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).first().dblclick();
    await page.getByRole('dialog').getByText('second').waitFor({ state: 'detached' });
    equal((await oneRow(page, job.job_id, 2))[1], 'first', 'the cell after one way back');
    equal(await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).count(), 1, 'edits that are left');
  }],

  ['the tab Rows follows an import that goes on', async (page) => {
    await page.goto('/imports');
    const made = (await api(page, 'POST', '/api/v1/imports', { definition: 'supplier_price_list', source: { header_row: 3 }, mapping: { unit: 'ME' }, max_errors: '100%' })).body;
    await page.goto(`/imports/${made.job_id}/rows`);
    await page.getByRole('link', { name: 'Rows', exact: true }).waitFor();
    await page.waitForTimeout(500);
    const sent = await page.evaluate(async ([id, text]) => (await fetch(`/api/v1/imports/${id}/file?name=later.csv`, { method: 'PUT', headers: { 'Content-Type': 'application/octet-stream' }, body: new Blob([Uint8Array.from(atob(text), (one) => one.charCodeAt(0))]) })).status, [made.job_id, priceList(60).toString('base64')]);
    check(sent < 300, `the file that came later: ${sent}`);
    const ended = await until(page, made.job_id, (now) => now.state === 'finished', 'ends');
    failed = ended;
    await cell(page, 1, 0).waitFor();
  }],

  ['fixes that are not sent are taken back cell by cell', async (page) => {
    await page.goto(`/imports/${failed.job_id}/rows?state=failed`);
    for (const [row, text] of [[18, '1,10'], [42, '2,20'], [18, '3,30']]) {
      await cell(page, row, 2).click();
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    }
    await page.getByRole('button', { name: 'Send 2 fixed rows' }).waitFor();
    await grid(page).focus();
    await page.keyboard.press('Control+z');
    await cell(page, 18, 2).getByText('1,10').waitFor();
    await cell(page, 42, 2).click();
    await page.keyboard.press('F2');
    await editor(page).fill('auf Anfrage');
    await editor(page).press('Enter');
    await page.getByRole('button', { name: 'Send 1 fixed row' }).waitFor();
  }],

  ['a reading that does not work leaves the settings to change it back', async (page) => {
    await page.goto('/new');
    await page.locator('input[type=file]').setInputFiles({ name: 'five.csv', mimeType: 'text/csv', buffer: Buffer.from('Art.-Nr.;Bezeichnung\n1;a\n2;b\n3;c\n4;d\n') });
    await page.getByText('SHA-256').waitFor();
    await page.getByRole('button', { name: 'Read the file' }).click();
    const settings = page.getByRole('region', { name: 'Settings' });
    await settings.getByRole('combobox', { name: 'Header row' }).click();
    await page.getByRole('option', { name: 'row 12', exact: true }).click();
    await page.getByRole('alert').waitFor();
    equal(await settings.getByRole('combobox', { name: 'Header row' }).inputValue(), 'row 12', 'what was chosen');
    check(await page.getByRole('button', { name: 'Match columns' }).getAttribute('aria-disabled') === 'true', 'the next step can be taken');
    await settings.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    page.faults.length = 0; // the answer to a reading that does not work
  }],

  ['another header row takes the matching of its columns with it', async (page) => {
    await page.goto('/new');
    await page.locator('input[type=file]').setInputFiles({ name: kFileName, mimeType: 'text/csv', buffer: priceList(30) });
    await page.getByText('SHA-256').waitFor();
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByRole('region', { name: 'Settings' }).waitFor();
    const [, , draftId] = new URL(page.url()).pathname.split('/');
    const draft = (await api(page, 'GET', `/api/v1/drafts/${draftId}`)).body;
    const put = await page.evaluate(async ([id, version, body]) => (await fetch(`/api/v1/drafts/${id}`, { method: 'PUT', headers: { 'Content-Type': 'application/json', 'If-Match': `"${version}"` }, body: JSON.stringify(body) })).status, [draftId, draft.version, { name: draft.name, file_id: draft.file_id, definition: 'supplier_price_list', read: { header_row: 3 }, step: 'match', mapping: { unit: 'ME', discount_group: null }, values: { unit: { Kilo: { fail: true } } } }]);
    equal(put, 200, 'the matching is on the server');
    await page.goto(`/new/${draftId}/read`);
    await page.getByRole('combobox', { name: 'Header row' }).click();
    await page.getByRole('option', { name: 'row 4', exact: true }).click();
    await page.getByRole('button', { name: 'Match columns' }).click();
    await page.waitForURL(/\/match/);
    await page.getByText('Needs your decision').first().waitFor();
    await page.getByText(/^Saved \d/).waitFor();
    const now = (await api(page, 'GET', `/api/v1/drafts/${draftId}`)).body;
    equal(JSON.stringify([now.mapping, now.values]), '[{"discount_group":null},{}]', 'what is left of the matching');
  }],
];

await run(tests);
