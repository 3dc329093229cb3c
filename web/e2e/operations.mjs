// What operators do: look whether anything is wrong, pause a queue, drain a node, try a dead letter again; and who may do which of it.
import { accessible, check, equal, noScriptRan, run } from './harness.mjs';
import { api, firstStart } from './actions.mjs';
import { sql } from './database.mjs';
import { failWhileLoading, importText, personOf, waitForImport } from './people.mjs';

const kEvil = '<img src=x onerror="window.hit=1">';
const songs = `lade: 1
definition: songs
name: Songs ${kEvil}
review: always
columns:
  code: {from: Code, required: true}
  name: {from: Name}
load:
  - table: song
    key: code
    columns: [code, name]
`;

let dead = '';

const tests = [
  ['nothing needs the operator of a fresh server', async (page) => {
    await firstStart(page);
    await page.goto('/ops');
    await page.getByText('Nothing needs you.').waitFor();
    await page.getByText('of 2 slots').or(page.getByText(/of \d+ slots?/)).first().waitFor();
    await page.getByText('Failed attempts').waitFor();
    await accessible(page, 'overview');
    await page.getByRole('button', { name: '6 hours' }).click();
    check(page.url().includes('window=21600'), `the window is in the address: ${page.url()}`);
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('columnheader', { name: 'Rows per second' }).waitFor();
    await page.getByRole('button', { name: 'Hold updates' }).click();
    await page.getByText('Updates held').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
  }],

  ['what used up its attempts is shown by its error, and tried again', async (page) => {
    await page.goto('/ops/dead-letters');
    await page.getByText('No dead letters. A task comes here when it has used up its attempts.').waitFor();
    sql('CREATE TABLE song (code TEXT PRIMARY KEY, name TEXT)');
    equal((await api(page, 'PUT', '/api/v1/definitions/songs', songs, 'application/yaml')).status, 201, 'the definition is saved');
    dead = await importText(page, `songs ${kEvil}.csv`, `Code,Name\na,${kEvil}\n`, { definition: 'songs' });
    await waitForImport(page, dead, 'waiting_for_review');
    await failWhileLoading(page, dead, 'song');
    await page.reload();
    await page.getByText(/no such table|has no table/).first().waitFor();
    await accessible(page, 'dead letters');
    const before = (await api(page, 'GET', '/api/v1/queue/dead-letter')).body.items;
    check(before.length > 0, 'there are dead letters');
    await page.getByRole('button', { name: 'Show its tasks' }).first().click();
    await page.getByRole('link', { name: String(before[0].task_id), exact: true }).or(page.getByRole('link', { name: String(before.at(-1).task_id), exact: true })).first().waitFor();
    await accessible(page, 'dead letters, open');
    const answered = page.waitForResponse((response) => response.url().endsWith('/queue/dead-letter/retry'));
    await page.getByRole('button', { name: /^Retry (all )?\d+$/ }).first().click();
    const answer = await (await answered).json();
    equal((await answered).status(), 202, 'the retry is taken');
    await page.getByText(/tried again/).first().waitFor();
    check(answer.retried > 0 && answer.refused.length === 0, `the server says what it did: ${JSON.stringify(answer)}`);
    equal((await waitForImport(page, dead, 'succeeded', 'failed')).status, 'succeeded', 'its import');
    equal((await api(page, 'GET', '/api/v1/queue/dead-letter')).body.items.length, 0, 'dead letters of an import that is brought back');
    await noScriptRan(page, 'dead letters');
  }],

  ['a dead letter is deleted after a question that says what is lost', async (page) => {
    await page.goto('/ops/dead-letters');
    const id = await importText(page, 'more.csv', 'Code,Name\nb,B\n', { definition: 'songs' });
    await waitForImport(page, id, 'waiting_for_review');
    await failWhileLoading(page, id, 'song');
    await page.reload();
    await page.getByRole('heading', { name: 'Dead letters' }).waitFor();
    const letters = (await api(page, 'GET', '/api/v1/queue/dead-letter')).body.items;
    check(letters.length > 0, 'there are dead letters to delete');
    await page.getByRole('button', { name: 'Show its tasks' }).first().click();
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
    await page.getByText('this cannot be taken back').waitFor();
    await page.getByRole('button', { name: 'Keep it' }).click();
    equal((await api(page, 'GET', '/api/v1/queue/dead-letter')).body.items.length, letters.length, 'dead letters after the way out');
    await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
    await page.getByRole('button', { name: 'Delete the dead letter' }).click();
    await page.getByText(/Dead letter \d+ is deleted/).waitFor();
    equal((await api(page, 'GET', '/api/v1/queue/dead-letter')).body.items.length, letters.length - 1, 'dead letters after the deletion');
  }],

  ['tasks are found by their state, and each has a page', async (page) => {
    await page.goto('/ops/tasks');
    await page.getByRole('cell', { name: 'plan' }).first().waitFor();
    await accessible(page, 'tasks');
    await page.goto('/ops/tasks?status=cancelled&kind=nothing');
    await page.getByText('No task fits these filters.').waitFor();
    await page.goto('/ops/tasks');
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByText('What happened').waitFor();
    await page.getByText('Created in the queue').waitFor();
    await accessible(page, 'task');
    await page.goto('/ops/tasks/999999');
    await page.getByText('There is nothing at this address').waitFor();
  }],

  ['a queue is paused, and says why its tasks wait', async (page) => {
    await page.goto('/ops/queues');
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click();
    await page.getByRole('button', { name: 'Pause the queue' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await accessible(page, 'queues');
    const id = await importText(page, 'waits.csv', 'Code,Name\nc,C\n', { definition: 'songs' });
    const task = (await api(page, 'GET', `/api/v1/imports/${id}/tasks`)).body.items[0];
    await page.goto(`/ops/tasks/${task.task_id}`);
    await page.getByText('Why is it waiting?').waitFor();
    await page.getByText(/paused/).first().waitFor();
    await accessible(page, 'task that waits');
    await page.goto('/ops/queues');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor({ state: 'hidden' });
    await waitForImport(page, id, 'waiting_for_review');
  }],

  ['the overview tells what became of rows', async (page) => {
    await page.goto('/ops');
    const id = await importText(page, 'counted.csv', 'Code,Name\nd,D\ne,E\n', { definition: 'songs', review: 'never' });
    await waitForImport(page, id, 'succeeded');
    // Measured every ten seconds.
    const rates = page.getByRole('region', { name: 'Rows per second' }).first();
    await rates.getByText('inserted', { exact: true }).waitFor({ timeout: 40_000 });
    await accessible(page, 'overview, rows by outcome');
    await page.getByRole('button', { name: 'Show as table' }).click();
    await rates.getByRole('columnheader', { name: 'inserted' }).waitFor();
    const counted = (await api(page, 'GET', '/api/v1/overview/series')).body.outcomes_per_second.inserted.some((value) => value > 0);
    check(counted, 'the series has inserted rows');
  }],

  ['the limit of a queue is changed in its place', async (page) => {
    await page.goto('/ops/queues');
    await page.getByRole('button', { name: /^Change the limit of/ }).first().click();
    const input = page.getByLabel(/^Limit of/);
    await input.fill('0');
    equal(await page.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled'), 'true', 'the button with a limit that is none');
    await input.fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('was no limit').waitFor();
    await page.getByText(/of 7$/).waitFor();
    await page.reload();
    await page.getByText(/of 7$/).waitFor();
  }],

  ['a node is drained and taken back', async (page) => {
    await page.goto('/ops/nodes');
    await page.getByText('1 live, 0 silent, 0 draining').waitFor();
    await page.getByRole('button', { name: 'Drain', exact: true }).click();
    await page.getByRole('button', { name: 'Drain the node' }).click();
    await page.getByRole('button', { name: 'Take tasks again' }).waitFor();
    await accessible(page, 'nodes');
    await page.getByRole('button', { name: 'Take tasks again' }).click();
    await page.getByRole('button', { name: 'Drain', exact: true }).waitFor();
  }],

  ['a webhook shows its secret once, and what was sent to it', async (page) => {
    await page.goto('/ops/webhooks');
    await page.getByText('No webhook yet.').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel(/^Address that is called/).fill('https://hooks.example.com/lade');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('It is shown this once').waitFor();
    check((await page.locator('[data-secret]').innerText()).length > 20, 'the secret is there');
    await accessible(page, 'secret of a webhook');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'https://hooks.example.com/lade' }).click();
    await page.getByText('Nothing was sent yet.').waitFor();
    await accessible(page, 'webhook');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('cell', { name: /on its way|failed|delivered/ }).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('No webhook yet.').waitFor();
  }],

  ['each role finds what it may do, and nothing else', async (page, context) => {
    await page.goto('/ops');
    const places = { viewer: [0, 0, 0], operator: [1, 0, 0], reviewer: [1, 1, 0] };
    for (const [role, [operations, review, administration]] of Object.entries(places)) {
      const person = await personOf(page, context, role);
      await person.page.goto('/imports');
      await person.page.getByRole('heading', { name: 'Imports' }).waitFor();
      equal(await person.page.getByRole('link', { name: 'Dead letters' }).count(), operations, `${role}: ways to operations`);
      equal(await person.page.getByRole('link', { name: /^Review/ }).count(), review, `${role}: ways to review`);
      equal(await person.page.getByRole('link', { name: 'Users' }).count(), administration, `${role}: ways to administration`);
      await person.page.goto('/admin/users');
      await person.page.getByText('There is nothing at this address').waitFor();
      if (operations) {
        await person.page.goto('/ops/queues');
        await person.page.getByText('only administrators of the whole server change them').waitFor();
        equal(await person.page.getByRole('button', { name: 'Pause', exact: true }).count(), 0, `${role}: ways to pause a queue`);
      } else {
        await person.page.goto('/ops');
        await person.page.getByText('There is nothing at this address').waitFor();
      }
      await person.close();
    }
    await page.getByRole('link', { name: 'Users' }).waitFor();
  }],

  ['operations are readable in the dark and on a phone', async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    for (const path of ['/ops', '/ops/queues', '/ops/dead-letters', '/ops/nodes']) {
      await page.goto(path);
      await page.locator('main h1').waitFor();
      await page.waitForFunction(() => document.querySelectorAll('[role=status][aria-label=Loading]').length === 0);
      await accessible(page, `${path}, dark`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/ops');
    await page.getByText('Running tasks').waitFor();
    equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0, 'pixels beyond the screen');
  }],
];

await run(tests);
