/**
 * Takes the pictures of the README from the demo as it is (`npm run generate:pictures`): light and dark, 1280 pixels wide. Run it
 * after a change of the portal and look at the result.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { signInAs } from '../test/browser/portal.ts';
import { launchBrowser } from '../test/harness/browser.ts';
import { createDatabase } from '../test/harness/databases.ts';
import { startServer } from '../test/harness/process.ts';
import { until } from '../test/harness/until.ts';

const FOLDER = new URL('../docs/images/', import.meta.url);
const SIZE = { width: 1280, height: 800 };
/** The account that the demo prepares, with a plan and a key. */
const EMAIL = 'demo@example.com';
const SEARCH = '/explore?q=holdings&country=gb';

const database = await createDatabase('sqlite');
// Pictures show addresses, so this is the port of the README.
const server = await startServer(database, { args: ['--demo'], port: 3000 });
await until('the welcome is printed', () => server.output().includes('Ctrl+C'));
const browser = await launchBrowser();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: SIZE });
    await takePictures(context, colorScheme);
    await context.close();
  }
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await server.ended;
  await database[Symbol.asyncDispose]();
}

async function takePictures(context: BrowserContext, scheme: string): Promise<void> {
  const page = await context.newPage();
  const save = async (name: string) => {
    const path = new URL(`${name}-${scheme}.png`, FOLDER).pathname;
    rmSync(path, { force: true });
    await page.screenshot({ path });
    process.stdout.write(`${path}\n`);
  };
  await useKey();
  await page.goto(`${server.url}/auth/login`);
  await signInAs(page, EMAIL);
  await page.goto(server.url + SEARCH);
  await save('explore');
  await page.locator('a[href^="/entities/"]').first().click();
  await page.waitForURL('**/entities/**');
  await save('record');
  await page.goto(`${server.url}/dashboard`);
  await save('dashboard');
}

/** Sends a few requests with the demo's key, so that the dashboard shows usage. */
async function useKey(): Promise<void> {
  const { apiKey } = JSON.parse(readFileSync(join(database.dataDir, 'demo.json'), 'utf8'));
  for (let page = 1; page <= 20; page++) {
    const address = `${server.url}/api/v1/entities?country=lv&pageSize=25&page=${page}`;
    await fetch(address, { headers: { 'X-API-Key': apiKey, connection: 'close' } });
  }
}
