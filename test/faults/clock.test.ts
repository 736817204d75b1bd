import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { fire, tally } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';

/**
 * A test cannot set the clock of a machine, so it loads a server with a clock that it can set. How rate windows behave is
 * tested on both databases in test/metering/limits.test.ts. Here: the server keeps serving, and every answer is charged.
 */
const clockModule = new URL('../harness/shift-clock.ts', import.meta.url).href;
const MINUTE = 60_000;
const STEPS = { '90 seconds': 1.5 * MINUTE, '2 hours': 120 * MINUTE, '40 days': 40 * 24 * 60 * MINUTE };

for (const engine of usualEngines) {
  test(`the clock of one of two servers goes back and forward again under load on ${engine}`, async (t) => {
    const database = await createDatabase(engine);
    const file = join(database.dataDir, 'clock');
    writeFileSync(file, '0');
    const office = openOffice(database);
    await office.createAccount();
    const wrong = { NODE_OPTIONS: `--import=${clockModule}`, CLOCK_FILE: file };
    const servers = [
      await startServer(database, { env: { ...paymentEnv, ...wrong, LOG_LEVEL: 'fatal' } }),
      await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'fatal' } }),
    ];
    const urls = servers.map(({ url }) => url);
    t.after(async () => {
      for (const server of servers) server.kill('SIGKILL');
      await Promise.all(servers.map(({ ended }) => ended));
      await office[Symbol.asyncDispose]();
      await database.remove();
    });
    await using pressure = await startPressure({ office, urls: () => urls, allowed: [] });
    const [{ url } = assert.fail()] = servers;
    /** The end of the rate window shows the server's time. */
    const resetOf = async () => {
      const { keys } = await office.createAccount();
      const [answer] = await fire(1, { urls: [url], keys, callers: 1 });
      return Number(answer?.headers['x-ratelimit-reset']);
    };
    for (const [step, ms] of Object.entries(STEPS)) {
      const before = await resetOf();
      writeFileSync(file, String(-ms));
      await until(`the clock is set back by ${step}`, async () => (await resetOf()) < before);
      await pressure.untilServed();
      // The limit holds on both clocks. Each month has its own quota, so each machine grants no more than one quota.
      const limited = await office.createAccount({ left: 20 });
      const answers = await fire(60, { urls: urls.slice(1), keys: limited.keys, callers: 20 });
      assert.deepEqual(tally(answers), { 200: 20, '429 monthly_quota_exceeded': 40 }, step);
      writeFileSync(file, '0');
      await until('the clock is right again', async () => (await resetOf()) >= before);
      await pressure.untilServed();
    }
    t.diagnostic((await pressure.end()).summary);
  });
}
