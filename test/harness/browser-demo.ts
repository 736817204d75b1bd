import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { createDatabase, type TestDatabase } from './databases.ts';
import { type RunningServer, startServer } from './process.ts';

/** The demo as `npm start` runs it, and a browser. Both run for all tests of a file. */
export interface BrowserDemo {
  readonly browser: Browser;
  readonly database: TestDatabase;
  readonly server: RunningServer;
}

export function useBrowserDemo(): BrowserDemo {
  const demo = {} as { -readonly [K in keyof BrowserDemo]: BrowserDemo[K] };
  before(async () => {
    demo.browser = await launchBrowser();
    demo.database = await createDatabase('sqlite');
    demo.server = await startServer(demo.database, { args: ['--demo'] });
  });
  after(async () => {
    await demo.browser?.close();
    demo.server?.kill('SIGTERM');
    await demo.server?.ended;
    await demo.database?.remove();
  });
  return demo;
}
