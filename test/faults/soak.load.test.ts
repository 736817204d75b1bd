import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, engines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { run, startServer } from '../harness/process.ts';
import { writeEditions } from './editions.ts';
import { startPressure } from './pressure.ts';

/** Resident memory varies with garbage collection, but must not grow with every import. */
const MAX_GROWTH = 1.25;
const MAX_GROWTH_MEGABYTES = 60;
const SOAK_MS = Number(process.env.SOAK_SECONDS ?? 180) * 1_000;

for (const engine of engines) {
  test(`memory does not grow during ${SOAK_MS / 1_000} s of load and imports on ${engine}`, {
    timeout: SOAK_MS + 600_000,
  }, async (t) => {
    const database = await createDatabase(engine);
    const { env, files } = await writeEditions(database, 60_000);
    const office = openOffice(database);
    await office.createAccount();
    const server = await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'fatal', WORKERS: '2' } });
    t.after(async () => {
      server.kill('SIGKILL');
      await server.ended;
      await office[Symbol.asyncDispose]();
      await database.remove();
    });
    const readMegabytes = () => {
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024;
    };

    const paths = ['/api/v1/entities?q=holdings', '/api/v1/entities?q=a&pageSize=100', '/api/v1/countries'];
    await using pressure = await startPressure({ office, urls: () => [server.url], paths, callers: 10, allowed: [] });
    let imports = 0;
    const importAgain = async () => {
      const { code, stderr } = await run(['import', 'gb', files[imports % 2] as string, '--full'], env);
      assert.equal(code, 0, stderr);
      imports++;
    };
    // Import both files before measuring, so that the entities of both are stored.
    await importAgain();
    await importAgain();
    const samples: number[] = [];
    const began = performance.now();
    let importing = Promise.resolve();
    while (performance.now() - began < SOAK_MS) {
      importing = importing.then(importAgain);
      await Promise.all([importing, sleep(1_000)]);
      samples.push(readMegabytes());
    }
    const { summary } = await pressure.end();
    const third = Math.ceil(samples.length / 3);
    const [early, late] = [Math.max(...samples.slice(0, third)), Math.max(...samples.slice(-third))].map(Math.round);
    t.diagnostic(`${imports} imports, ${early} MB in the first third, ${late} MB in the last; ${summary}`);
    const limit = Math.max((early ?? 0) * MAX_GROWTH, (early ?? 0) + MAX_GROWTH_MEGABYTES);
    assert.ok((late ?? 0) <= limit, `${early} MB grew to ${late} MB: ${samples.map(Math.round)}`);
  });
}
