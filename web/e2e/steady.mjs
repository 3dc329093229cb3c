// Pages that change while somebody works in them: what comes in is shown, and nothing that was typed or pressed is lost or does something else.
import { base, check, equal, run } from './harness.mjs';
import { api, firstStart, saved, saveDefinition, uploadIn } from './actions.mjs';
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
    job = await waits(page, first.job_id);
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
];

await run(tests);
