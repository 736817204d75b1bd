import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDatabase, engines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { fire, tally } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';

/**
 * Clocks of whole machines cannot be set in a test, so a server is loaded with one that can. What windows do is proved
 * in test/metering/meter.test.ts; here, that a server goes on and every answer is charged.
 */
const clockModule = new URL('../harness/shift-clock.ts', import.meta.url).href;
const MINUTE = 60_000;
const STEPS = { '90 seconds': 1.5 * MINUTE, '2 hours': 120 * MINUTE, '40 days': 40 * 24 * 60 * MINUTE };

for (const engine of engines) {
  test(`the clock of one of two servers is set back, and right again, under load on ${engine}`, async (t) => {
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
    /** When the window ends tells which time the server believes in. */
    const resetOf = async () => {
      const { keys } = await office.createAccount();
      const [answer] = await fire(1, { urls: [url], keys, callers: 1 });
      return Number(answer?.headers['x-ratelimit-reset']);
    };
    for (const [step, ms] of Object.entries(STEPS)) {
      const before = await resetOf();
      writeFileSync(file, String(-ms));
      await until(`it is set back by ${step}`, async () => (await resetOf()) < before);
      await pressure.untilServed();
      // A limit is a limit on either clock: a month has a quota of its own, so each machine grants no more than that.
      const limited = await office.createAccount({ left: 20 });
      const answers = await fire(60, { urls: urls.slice(1), keys: limited.keys, callers: 20 });
      assert.deepEqual(tally(answers), { 200: 20, '429 monthly_quota_exceeded': 40 }, step);
      writeFileSync(file, '0');
      await until('it is right again', async () => (await resetOf()) >= before);
      await pressure.untilServed();
    }
    t.diagnostic((await pressure.end()).summary);
  });
}
