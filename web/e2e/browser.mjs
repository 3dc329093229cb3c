import { chromium } from 'playwright-core';

const kArguments = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];

/** Debian's chromium; another one by CHROMIUM. */
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kArguments });

/** A page that keeps what goes wrong in it: errors of scripts, refusals of the content security policy. */
export async function open(context) {
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (401|404|409|412)/.test(message.text())) faults.push(`${message.text()} ${message.location().url}`);
  });
  return Object.assign(page, { faults });
}
