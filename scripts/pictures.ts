/**
 * Takes the picture of the README from the demo as it is (`npm run generate:pictures`): light and dark, 1280 pixels wide. Run it
 * after a change of the portal and look at the result.
 */
import { rmSync } from 'node:fs';
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
const SEARCH = '/explore?words=holdings&country=gb';

const database = await createDatabase('sqlite');
// The picture shows addresses, so this is the port of the README.
const server = await startServer(database, { args: ['--demo'], port: 3000 });
await until('the welcome is printed', () => server.output().includes('Ctrl+C'));
const browser = await launchBrowser();
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport: SIZE });
    await takePicture(context, colorScheme);
    await context.close();
  }
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await server.ended;
  await database[Symbol.asyncDispose]();
}

async function takePicture(context: BrowserContext, scheme: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${server.url}/auth/login`);
  await signInAs(page, EMAIL);
  await page.goto(server.url + SEARCH);
  const path = new URL(`explore-${scheme}.png`, FOLDER).pathname;
  rmSync(path, { force: true });
  await page.screenshot({ path });
  process.stdout.write(`${path}\n`);
}
