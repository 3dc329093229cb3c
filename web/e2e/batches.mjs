// A batch from its first import to its end, and names that people decide.
import { accessible, check, equal, noScriptRan, run } from './harness.mjs';
import { api, firstStart } from './actions.mjs';
import { sql } from './database.mjs';
import { composers, works } from './fixtures.mjs';
import { importText, personOf, waitForImport } from './people.mjs';

const kEvil = '<img src=x onerror="window.hit=1">';
const file = `Title,Composer\nendaro,Tyagaraja\nvatapi,Muttuswami Dikshithar Iyer\nbatapi,MUTTUSWAMI dikshithar iyer\nair,Johann Bach\nevil,${kEvil}\n`;
let batch = '';
let job = '';

const tests = [
  ['there are no batches, and nothing to decide', async (page) => {
    await firstStart(page);
    await page.goto('/batches');
    await page.getByText('No batches yet.').waitFor();
    await accessible(page, 'batches, empty');
    await page.goto('/review');
    await page.getByText('Nothing to decide.').waitFor();
    await accessible(page, 'review, empty');
  }],

  ['a batch shows its stages, tasks, metrics and events', async (page) => {
    await page.goto('/batches');
    sql(composers);
    equal((await api(page, 'PUT', '/api/v1/definitions/works', works, 'application/yaml')).status, 201, 'the definition is saved');
    job = await importText(page, `works ${kEvil}.csv`, file, { definition: 'works', batch: 'songs-2026-11' });
    await waitForImport(page, job, 'succeeded', 'failed');
    await page.getByRole('link', { name: 'songs-2026-11' }).click();
    await page.waitForURL(/\/batches\/[0-9a-f-]{36}/);
    batch = page.url().split('/').at(-1);
    await page.getByText(`works ${kEvil}.csv`).waitFor();
    await page.getByRole('list', { name: 'Stages' }).waitFor();
    await noScriptRan(page, 'batch');
    await accessible(page, 'batch');
    await page.keyboard.press('2');
    await page.waitForURL(/\/tasks$/);
    await page.getByRole('table').getByRole('button').first().click();
    await page.getByRole('dialog').getByText('Attempts').waitFor();
    check(page.url().includes('task='), `the open task is in the address: ${page.url()}`);
    await accessible(page, 'task of a batch');
    await page.reload();
    await page.getByRole('dialog').getByText('Attempts').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.goto(`/batches/${batch}/metrics`);
    await page.getByText('Success rate').first().waitFor();
    await accessible(page, 'metrics of a batch');
    await page.goto(`/batches/${batch}/events`);
    await page.getByRole('listitem').first().waitFor();
    await accessible(page, 'events of a batch');
  }],

  ['a task shows how its page was answered, and how good its record is', async (page) => {
    sql(`INSERT INTO lade_page (job_id, company_id, created_at, row_id, page_key, url, host, status, content_type, evidence_bytes, gathered, evidence, fields)
      SELECT id, company_id, 1, 1, 'endaro', 'http://songs.example/1', 'songs.example', 'succeeded', 'text/html', 4321, 1,
        '{"final_url": "https://songs.example/endaro", "fetched_at": "2026-11-05T10:00:00.000Z", "status": 200, "headers": {"content-type": "text/html; ${kEvil.replaceAll('"', '\\"')}"}}',
        '{"fields": {"title": ["endaro"], "raga": []}, "issues": []}' FROM lade_job WHERE uuid = '${job}'`);
    await page.goto(`/batches/${batch}/tasks`);
    await page.getByRole('table').getByRole('button').first().click();
    const evidence = page.getByRole('dialog').getByRole('region', { name: 'Evidence' });
    await evidence.getByRole('link', { name: 'https://songs.example/endaro' }).waitFor();
    await evidence.getByText('4.3 kB').waitFor();
    await page.getByRole('region', { name: 'Quality of the record' }).getByText('good, 80 of 100').waitFor();
    await noScriptRan(page, 'evidence of a task');
    await accessible(page, 'evidence of a task');
    await page.keyboard.press('Escape');
    sql(`DELETE FROM lade_page`);
  }],

  ['errors are exported, and the batch is finalised after a question', async (page) => {
    await page.goto(`/batches/${batch}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    const [errors] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: 'Errors as CSV' }).click()]);
    check(/errors\.csv$/.test(errors.suggestedFilename()), `a CSV file: ${errors.suggestedFilename()}`);
  }],

  ['a name is decided by a key, and taken back by another', async (page, context) => {
    const person = await personOf(page.url() === 'about:blank' ? (await page.goto('/review'), page) : page, context, 'reviewer');
    const theirs = person.page;
    // Who only reviews begins with what waits.
    await theirs.goto('/');
    await theirs.waitForURL(/\/review/);
    await theirs.getByRole('button', { name: /Johann Bach/ }).waitFor();
    await noScriptRan(theirs, 'review');
    await theirs.getByText(kEvil).first().waitFor();
    await accessible(theirs, 'review');
    await theirs.getByRole('button', { name: /Johann Bach/ }).click();
    await theirs.keyboard.press('x');
    await theirs.getByText('“Johann Bach” is rejected.').waitFor();
    const open = () => api(theirs, 'GET', '/api/v1/review').then((answer) => answer.body.items.map((item) => item.name));
    check(!(await open()).includes('Johann Bach'), 'the decision is on the server');
    await theirs.keyboard.press('u');
    await theirs.getByText('“Johann Bach” is open again.').waitFor();
    check((await open()).includes('Johann Bach'), 'the decision is taken back on the server');
    // The way back is of the decision that is still on its way, not of the one before it.
    await theirs.route(/\/api\/v1\/review\/\d+$/, async (route) => {
      await new Promise((done) => setTimeout(done, 700));
      await route.continue();
    });
    await theirs.getByRole('button', { name: /Johann Bach/ }).click();
    const undone = theirs.waitForResponse(/\/undo$/);
    await theirs.keyboard.press('x');
    await theirs.keyboard.press('u');
    await undone;
    await theirs.unrouteAll();
    check((await open()).includes('Johann Bach'), 'a decision is taken back while it is sent');
    await theirs.getByText('“Johann Bach” is open again.').waitFor();
    await theirs.getByRole('button', { name: /^Muttuswami Dikshithar Iyer/ }).click();
    await theirs.getByRole('region', { name: 'Candidates' }).getByRole('button', { name: /Muttusvāmi Dīkṣitar/ }).waitFor();
    await theirs.keyboard.press('1');
    await theirs.getByText('“Muttuswami Dikshithar Iyer” means Muttusvāmi Dīkṣitar.').waitFor();
    await theirs.getByText('1 more with the same name was decided with it.').waitFor();
    check(theirs.faults.length === 0, `faults in the page: ${theirs.faults.join(' | ')}`);
    await person.close();
  }],

  ['the best candidates are accepted in bulk, counted first', async (page) => {
    await page.goto('/review');
    await page.getByRole('button', { name: 'Accept the best candidate…' }).click();
    await page.getByLabel('Confidence of at least').fill('100');
    await page.getByText('No name has a clear candidate with 100 or more.').waitFor();
    await accessible(page, 'bulk decisions');
    await page.getByRole('button', { name: 'Go back' }).click();
  }],

  ['someone else who was quicker is named', async (page) => {
    await page.goto('/review');
    await page.getByRole('button', { name: /Johann Bach/ }).click();
    const item = (await api(page, 'GET', '/api/v1/review')).body.items.find((one) => one.name === 'Johann Bach');
    equal((await api(page, 'POST', `/api/v1/review/${item.id}`, { decision: 'reject' })).status, 200, 'the other decision');
    await page.keyboard.press('n');
    await page.getByText(/has decided “Johann Bach” meanwhile: it was rejected\./).waitFor();
  }],

  ['batches and decisions are readable in the dark and on a phone', async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const path of ['/batches', `/batches/${batch}`, '/review']) {
      await page.goto(path);
      await page.locator('main h1').waitFor();
      await page.waitForFunction(() => document.querySelectorAll('[role=status][aria-label=Loading]').length === 0);
      await accessible(page, `${path}, dark`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/batches/${batch}`);
    await page.getByRole('heading', { name: 'songs-2026-11' }).waitFor();
    equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, 'pixels beyond the screen');
  }],
];

await run(tests);
