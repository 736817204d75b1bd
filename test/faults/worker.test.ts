import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, engines } from '../harness/databases.ts';
import { isDeep } from '../harness/depth.ts';
import { openOffice } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';
import { LONG } from './size.ts';

/** In the deep run only: test/workers.test.ts lets a thread crash under the same load. Here: many crashes on both databases. */
const WORKERS = 2;
const CRASHES = 10;
const crashModule = new URL('../harness/crash-thread.ts', import.meta.url).href;

for (const engine of isDeep ? engines : []) {
  test(`serving threads crash under load on ${engine}, ${CRASHES} times: every answer is charged`, LONG, async (t) => {
    const database = await createDatabase(engine);
    const office = openOffice(database);
    const adminPort = await findFreePort();
    const server = await startServer(database, {
      env: {
        ...paymentEnv,
        WORKERS: String(WORKERS),
        ADMIN_PORT: String(adminPort),
        LOG_LEVEL: 'fatal',
        NODE_OPTIONS: `--import=${crashModule}`,
        CRASH_DIR: database.dataDir,
      },
    });
    t.after(async () => {
      server.kill('SIGKILL');
      await server.ended;
      await office[Symbol.asyncDispose]();
      await database.remove();
    });
    const readMetric = async (name: string) => {
      const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
    };

    // Seldom, because gathering the metrics takes the time that a new thread needs to start.
    const untilMetric = (name: string, expected: number) =>
      until(`${name} is ${expected}`, async () => {
        await sleep(200);
        return (await readMetric(name)) === expected;
      });

    await using pressure = await startPressure({
      office,
      urls: () => [server.url],
      pauseMs: 10,
      allowed: ['0'],
    });
    for (let crash = 1; crash <= CRASHES; crash++) {
      writeFileSync(join(database.dataDir, `exception-${1 + (crash % WORKERS)}`), '');
      await untilMetric('worker_restarts_total', crash);
      await untilMetric('workers', WORKERS);
      await pressure.untilServed();
    }
    t.diagnostic((await pressure.end()).summary);
  });
}
