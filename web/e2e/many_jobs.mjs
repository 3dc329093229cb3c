// A list of 10,000 imports is as quick as one of 100.
import { execFileSync } from 'node:child_process';
import { check, equal, run } from './harness.mjs';
import { api, firstStart, saveDefinition } from './actions.mjs';

const kSlow = Number(process.env.LADE_SLOW ?? 1);
const kCall = 20 * kSlow;

// Imports like the first one, as if they had been made long ago.
const kCopies = `
import sqlite3, sys, uuid
connection = sqlite3.connect(sys.argv[1], timeout=60)
columns = [row[1] for row in connection.execute("PRAGMA table_info(lade_job)") if row[1] != "id"]
rows = connection.execute(f"SELECT {', '.join(columns)} FROM lade_job ORDER BY id LIMIT 1").fetchall()
have = connection.execute("SELECT count(*) FROM lade_job").fetchone()[0]
places = ", ".join("?" * len(columns))
for number in range(have, int(sys.argv[2])):
    job = dict(zip(columns, rows[0])) | {"uuid": str(uuid.uuid4()), "slug": f"copy-{number}"}
    connection.execute(f"INSERT INTO lade_job ({', '.join(columns)}) VALUES ({places})", [job[name] for name in columns])
connection.commit()
`;
const fill = (count) => execFileSync('python3', ['-c', kCopies, process.env.LADE_DATABASE, String(count)]);
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

/** Milliseconds of a call, as the page itself sees it. */
const callTime = async (page, path) =>
  median(await page.evaluate(async (where) => {
    const taken = [];
    for (let at = 0; at < 21; at += 1) {
      const begun = performance.now();
      await (await fetch(where)).json();
      taken.push(performance.now() - begun);
    }
    return taken;
  }, path));

/** Milliseconds from opening the list to its rows. */
async function pageTime(page) {
  const taken = [];
  for (let at = 0; at < 7; at += 1) {
    const begun = Date.now();
    await page.goto('/imports');
    await page.getByText('Succeeded', { exact: true }).nth(20).waitFor();
    taken.push(Date.now() - begun);
  }
  return median(taken);
}

const figures = async (page) => ({
  list: await callTime(page, '/api/v1/imports?limit=100'),
  counts: await callTime(page, '/api/v1/imports/counts'),
  page: await pageTime(page),
});

const tests = [
  ['10,000 imports do not slow the list', async (page) => {
    await firstStart(page);
    check((await saveDefinition(page)).status < 300, 'the definition is stored');
    const made = await page.evaluate(async () => {
      const form = new FormData();
      form.append('definition', 'supplier_price_list');
      form.append('file', new File(['Art.-Nr.;Bezeichnung;EK netto;Währung;Mengeneinheit;Warengruppe\n1;Winkel;1,5;EUR;ST;Muttern\n'], 'one.csv'));
      return (await fetch('/api/v1/imports', { method: 'POST', body: form })).json();
    });
    await page.goto(`/imports/${made.job_id}`);
    await page.getByText('Succeeded', { exact: true }).first().waitFor({ timeout: 60_000 });
    fill(100);
    const few = await figures(page);
    fill(10_000);
    const many = await figures(page);
    console.log(`        100: ${JSON.stringify(few)}; 10,000: ${JSON.stringify(many)}`);
    equal((await api(page, 'GET', '/api/v1/imports/counts')).body.total, 10_000, 'imports');
    check(many.list <= kCall, `the list takes ${many.list} ms`);
    check(many.counts <= kCall, `counting takes ${many.counts} ms`);
    check(many.page <= few.page * 1.25 + 50 * kSlow, `the page takes ${many.page} ms instead of ${few.page}`);
    // The end of the list is as near as its beginning.
    const before = (await api(page, 'GET', '/api/v1/imports?limit=100')).body.next;
    check(before !== null, 'the list goes on');
    check((await callTime(page, '/api/v1/imports?limit=100&cursor=' + encodeURIComponent(before))) <= kCall, 'the second page is slow');
  }],
];

await run(tests);
