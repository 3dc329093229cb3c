// A picture of every page, light and dark, at 1440 × 900 and, of those that people use there, at the width of a phone.
//   node e2e/screenshots.mjs FOLDER      with LADE_URL and LADE_LINK, as tests/browser/run.py sets them
import { base, check } from './harness.mjs';
import { api, choose, firstStart, saveDefinition, uploadIn } from './actions.mjs';
import { launch, open } from './browser.mjs';
import { sql } from './database.mjs';
import { composers, kPayload, priceList, works } from './fixtures.mjs';
import { failWhileLoading, importText, waitForImport } from './people.mjs';

const folder = process.argv[2];
const browser = await launch();
const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

// Pictures show what people see, not what tests try.
const plain = (rows) => Buffer.from(priceList(rows).toString('latin1').replaceAll(`"${kPayload.replaceAll('"', '""')}"`, 'Gewindestange M8').replace(/"Lagerort [^;]*"/, 'Lagerort').replaceAll(kPayload, 'Gewindestange M8'), 'latin1');
/** The list of the next month: some prices rise or fall, some articles are new. */
const nextMonth = () =>
  Buffer.from(plain(430).toString('latin1').split('\r\n').map((line, at) => (at % 6 === 4 ? line.replace(/;(\d+),(\d\d);/, (_, whole, part) => `;${Number(whole) + (at % 4 === 0 ? 2 : -1)},${part};`) : line)).join('\r\n'), 'latin1');

/** Makes an import that waits for review, one that has ended, and a draft in its third step; gives their addresses. */
async function prepare(page) {
  await saveDefinition(page);
  const begin = async (name, bytes) => {
    await page.goto('/new');
    await uploadIn(page, name, bytes);
    await page.getByRole('button', { name: 'Read the file' }).click();
    await page.getByRole('button', { name: 'Match columns' }).click();
    await page.getByText('Goes to').first().waitFor();
  };
  await begin('Preisliste_Hartmann_2026-10.csv', plain(399));
  await choose(page, 'Column for unit', 'ME');
  await page.getByRole('button', { name: /^Check/ }).click();
  await page.getByRole('button', { name: /^Import \d/ }).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: /^Import \d/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: /^Import \d/ }).click();
  await page.waitForURL(/\/imports\/[0-9a-f-]{36}/, { timeout: 60_000 });
  await begin('Preisliste_Hartmann_2026-11.csv', nextMonth());
  await page.getByRole('button', { name: /^Check/ }).click();
  await page.getByRole('button', { name: /^Import \d/ }).waitFor({ timeout: 60_000 });
  const preview = new URL(page.url()).pathname;
  await page.goto('/new');
  await uploadIn(page, 'Preisliste_Hartmann_2026-12.csv', plain(420));
  const draft = new URL(page.url()).pathname.split('/')[2];
  const jobs = (await api(page, 'GET', '/api/v1/imports')).body.items;
  return { preview, draft, done: jobs.at(-1).job_id, waiting: jobs[0].job_id };
}

const composed = (part, last) => `Title,Composer\n${['Tyagaraja', 'Muttuswami Dikshithar Iyer', 'Johann Bach', 'Anna Lee', last].map((name, at) => `${part} ${at + 1},${name}`).join('\n')}\n`;

/** Makes a batch with names that people decide, an import that has failed while it was written, and a webhook; gives what they are called. */
async function prepareOperations(page) {
  sql(composers);
  await api(page, 'PUT', '/api/v1/definitions/works', works, 'application/yaml');
  for (const [part, last] of [['kriti', 'Tyagarajan Swami'], ['varnam', 'Anna Lea']])
    await waitForImport(page, await importText(page, `${part}s-2026-11.csv`, composed(part, last), { definition: 'works', batch: 'songs-2026-11' }), 'succeeded');
  const refused = await importText(page, 'late-works.csv', composed('late', 'Anna Lee'), { definition: 'works', review: 'always' });
  await waitForImport(page, refused, 'waiting_for_review');
  await failWhileLoading(page, refused, 'work');
  const hook = (await api(page, 'POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:9/lade' })).body;
  const batch = (await api(page, 'GET', '/api/v1/batches')).body.items[0];
  const letter = (await api(page, 'GET', '/api/v1/queue/dead-letter')).body.items[0];
  check(batch && letter && hook.webhook_id, `there is a batch, a dead letter and a webhook: ${JSON.stringify({ batch, letter, hook })}`);
  return { batch: batch.batch_id, failed: refused, task: letter.task_id, hook: hook.webhook_id };
}

async function pagesOf(page) {
  const { preview, draft, done, waiting } = await prepare(page);
  const { batch, failed, task, hook } = await prepareOperations(page);
  return {
    'new-file': '/new', 'new-file-stored': `/new/${draft}/file`, 'new-read': `/new/${draft}/read`, 'new-match': `/new/${draft}/match`, 'new-preview': preview,
    imports: '/imports', import: `/imports/${done}`, 'import-rows': `/imports/${done}/rows`, 'import-tasks': `/imports/${done}/tasks`, 'import-events': `/imports/${done}/events`,
    'import-settings': `/imports/${done}/settings`, review: `/imports/${waiting}/review`,
    'import-failed': `/imports/${failed}`, 'import-issues': `/imports/${done}/issues`,
    batches: '/batches', batch: `/batches/${batch}`, 'batch-tasks': `/batches/${batch}/tasks`, 'batch-metrics': `/batches/${batch}/metrics`, 'batch-events': `/batches/${batch}/events`,
    'review-queue': '/review', 'definition-versions': '/definitions/supplier_price_list/versions', 'definition-try': '/definitions/supplier_price_list/try',
    'ops-task': `/ops/tasks/${task}`, 'ops-webhook': `/ops/webhooks/${hook}`,
    definitions: '/definitions', definition: '/definitions/supplier_price_list', 'definition-edit': '/definitions/supplier_price_list/edit',
    'ops-overview': '/ops', 'ops-queues': '/ops/queues', 'ops-tasks': '/ops/tasks', 'ops-nodes': '/ops/nodes', 'ops-dead-letters': '/ops/dead-letters', 'ops-webhooks': '/ops/webhooks',
    'admin-users': '/admin/users', 'admin-tokens': '/admin/tokens', 'admin-audit': '/admin/audit', 'admin-companies': '/admin/companies',
  };
}

/** Pages of those who have not signed in. */
const kOutside = { 'sign-in': '/sign-in', welcome: '/welcome/used-up' };
const kPhone = ['imports', 'import', 'review', 'new-preview', 'batches', 'ops-overview'];

const first = await browser.newContext({ baseURL: base, viewport: sizes.wide });
const page = await open(first);
await firstStart(page);
const pages = await pagesOf(page);
const state = await first.storageState();
let taken = 0;

async function picture(shown, address, heading, name) {
  await shown.goto(address);
  await shown.locator(heading).first().waitFor();
  // Blocks that stand for what is loading are no picture of the page.
  await shown.waitForFunction(() => document.querySelectorAll('[role=status][aria-label=Loading]').length === 0);
  await shown.evaluate(() => document.fonts.ready);
  await shown.screenshot({ path: `${folder}/${name}.png` });
  taken += 1;
}

for (const colorScheme of ['light', 'dark']) {
  for (const [size, viewport] of Object.entries(sizes)) {
    const context = await browser.newContext({ baseURL: base, viewport, colorScheme, storageState: state });
    const shown = await open(context);
    for (const [name, address] of Object.entries(pages)) {
      if (size === 'phone' && !kPhone.includes(name)) continue;
      await picture(shown, address, 'main h1', `${name}${size === 'phone' ? '-phone' : ''}-${colorScheme}`);
    }
    await context.close();
    if (size === 'phone') continue;
    const outside = await browser.newContext({ baseURL: base, viewport, colorScheme });
    const strange = await open(outside);
    for (const [name, address] of Object.entries(kOutside)) await picture(strange, address, 'h1', `${name}-${colorScheme}`);
    await outside.close();
  }
}
await browser.close();
check(taken > 0, 'no picture was taken');
console.log(`${taken} pictures in ${folder}`);
console.log(`${taken} passed, 0 failed`);
