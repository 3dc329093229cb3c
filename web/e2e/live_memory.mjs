// The memory of a tab that watches a running import: over LADE_MINUTES (10) it may not grow by more than 5 MB.
//   tests/browser/run.py --only live_memory --minutes 10
import { check, run } from './harness.mjs';
import { api, firstStart } from './actions.mjs';
import { sql } from './database.mjs';

const kMinutes = Number(process.env.LADE_MINUTES ?? 10);
const kSettled = Math.min(30_000, kMinutes * 6_000); // pictures, fonts and code are loaded by then
const kMost = 5 * 1024 * 1024;
// Each row costs the database about half a millisecond, so that the import outlasts the test.
const kRows = Math.ceil(kMinutes * 60 * 4000);
const slowly = `CREATE TRIGGER slowly AFTER INSERT ON many_rows BEGIN
  SELECT count(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) SELECT i FROM n);
END`;

const definition = `lade: 1
definition: watched
name: Watched
columns:
  number:   {from: Nr, type: integer, required: true}
  name:     {from: Name, required: true}
  quantity: {from: Menge, type: integer}
load:
  - table: many_rows
    key: number
    columns: [number, name, quantity]
`;

function file() {
  const lines = ['Nr;Name;Menge'];
  for (let at = 1; at <= kRows; at += 1) lines.push(`${at};Artikel ${at % 977};${at % 1000 === 77 ? 'viele' : at % 500}`);
  return Buffer.from(`${lines.join('\n')}\n`);
}

async function heapOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize;
}

const tests = [
  [`a tab that watches an import for ${kMinutes} minutes keeps its size`, async (page, context) => {
    await firstStart(page);
    check((await api(page, 'PUT', '/api/v1/definitions/watched', definition, 'application/yaml')).status < 300, 'the definition is stored');
    sql(slowly);
    const made = await context.request.post('/api/v1/imports', { headers: { Origin: process.env.LADE_URL }, multipart: { definition: 'watched', file: { name: 'watched.csv', mimeType: 'text/csv', buffer: file() } }, timeout: 120_000 });
    check(made.ok(), `the import: ${made.status()} ${await made.text()}`);
    const id = (await made.json()).job_id;
    await page.goto(`/imports/${id}`);
    const session = await context.newCDPSession(page);
    await page.waitForTimeout(kSettled);
    const begun = Date.now();
    const first = await heapOf(session);
    const seen = [first];
    const before = (await api(page, 'GET', `/api/v1/imports/${id}`)).body;
    while (Date.now() - begun < kMinutes * 60_000) {
      await page.waitForTimeout(Math.min(30_000, kMinutes * 6_000));
      seen.push(await heapOf(session));
    }
    const now = (await api(page, 'GET', `/api/v1/imports/${id}`)).body;
    console.log(`        heap in MB: ${seen.map((one) => (one / 1024 / 1024).toFixed(1)).join(', ')}; ${before.rows.inserted} to ${now.rows.inserted} of ${kRows} rows`);
    check(now.status === 'running', `the import has ended before the test: it is ${now.status}`);
    check(now.progress > before.progress || now.rows.inserted > before.rows.inserted, 'the import stands still');
    check(seen.at(-1) - first <= kMost, `the heap has grown by ${((seen.at(-1) - first) / 1024 / 1024).toFixed(1)} MB`);
    await api(page, 'POST', `/api/v1/imports/${id}/cancel`, {});
  }],
];

await run(tests);
