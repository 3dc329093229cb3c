import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { launch, open } from './browser.mjs';

const require = createRequire(import.meta.url);
const axeSource = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Where the server is, and how the first admin gets in; tests/browser/run.py starts it and says so. */
export const base = process.env.LADE_URL;
export const link = process.env.LADE_LINK;
export const admin = { email: process.env.LADE_ADMIN ?? 'admin@localhost', password: 'a long enough password' };

export function check(fact, words) {
  if (!fact) throw new Error(words);
}

export function equal(found, wanted, words) {
  if (found !== wanted) throw new Error(`${words}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

async function faultsOf(page) {
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }));
  return violations.filter((one) => one.impact === 'serious' || one.impact === 'critical');
}

/** Fails with what axe finds to be serious or critical on the page as it is, in the scheme it has and in the other one. */
export async function accessible(page, where) {
  await page.evaluate(axeSource);
  const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
  const first = await scheme();
  for (const colorScheme of [first === 'dark' ? 'light' : 'dark', first]) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction((wanted) => document.documentElement.dataset.mantineColorScheme === wanted, colorScheme);
    const bad = await faultsOf(page);
    check(bad.length === 0, `${where}, ${colorScheme}: ${bad.map((one) => `${one.id} (${one.help}) at ${one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ')}`).join('; ')}`);
  }
}

/** Nothing that a file says was taken for a script. */
export async function noScriptRan(page, where) {
  check(!(await page.evaluate(() => 'hit' in globalThis)), `${where}: a cell of the file ran as a script`);
}

/** Runs tests one after another in one browser, each with a page of a context that stays signed in. They build on each other: the first
 * that fails ends it. */
export async function run(tests) {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: base, permissions: ['clipboard-read', 'clipboard-write'] });
  let passed = 0;
  let failed = 0;
  for (const [name, test] of tests) {
    const page = await open(context);
    page.setDefaultTimeout(15_000);
    const begun = Date.now();
    try {
      await test(page, context);
      check(page.faults.length === 0, `faults in the page: ${page.faults.join(' | ')}`);
      passed += 1;
      console.log(`ok      ${name} (${Date.now() - begun} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${error.stack}`);
      const place = `${process.env.LADE_OUTPUT ?? '.'}/${name.replace(/\W+/g, '_')}.png`;
      await page.screenshot({ path: place, fullPage: true }).catch(() => undefined);
      console.log(`        ${page.url()}, shown in ${place}`);
    }
    await page.close();
    if (failed > 0) break;
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
