import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { startEmptyDemo } from '../demo/demo.ts';
import { launchBrowser } from '../harness/browser.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { importSynthetic } from '../harness/entities.ts';
import type { RunningServer } from '../harness/process.ts';
import { startService, type TestService } from '../harness/service.ts';

/** The demo as `npm start` runs it, with British sample companies only, and a browser. */
export interface BrowserDemo {
  readonly browser: Browser;
  readonly database: TestDatabase;
  readonly server: RunningServer;
}

/** The service in this process with sample companies, and a browser. */
export interface BrowserPortal {
  readonly browser: Browser;
  readonly service: TestService;
}

type Filling<T> = { -readonly [K in keyof T]: T[K] };

/** All tests share one address. */
const MANY = { perAddress: 1_000, inTotal: 1_000 };

let demo: Filling<BrowserDemo> | undefined;
let portal: Filling<BrowserPortal> | undefined;

/** Every caller in a process gets the same demo, because starting one takes longer than most tests. */
export function useBrowserDemo(): BrowserDemo {
  if (demo !== undefined) return demo;
  const starting = {} as Filling<BrowserDemo>;
  demo = starting;
  before(async () => {
    starting.browser = await launchBrowser();
    starting.database = await createDatabase('sqlite');
    starting.server = await startEmptyDemo(starting.database, ['gb']);
  });
  after(async () => {
    await starting.browser?.close();
    starting.server?.kill('SIGTERM');
    await starting.server?.ended;
    await starting.database?.[Symbol.asyncDispose]();
  });
  return starting;
}

/** Every caller in a process gets the same service: 400 companies each from Great Britain and Moldova. */
export function useBrowserPortal(): BrowserPortal {
  if (portal !== undefined) return portal;
  const starting = {} as Filling<BrowserPortal>;
  portal = starting;
  before(async () => {
    starting.browser = await launchBrowser();
    starting.service = await startService('sqlite', {
      visitors: { searches: MANY, records: MANY },
      webhooks: { rules: { ports: [443], allowsLoopback: true } },
    });
    for (const register of ['gb', 'md']) await importSynthetic(starting.service, register, 400);
  });
  after(async () => {
    await starting.browser?.close();
    await starting.service?.[Symbol.asyncDispose]();
  });
  return starting;
}
