import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/base/db/db.ts';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { run, start, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { checkJournal } from '../registry/journal-check.ts';
import { writeEditions } from './editions.ts';
import { startPressure } from './pressure.ts';

const KILLED_IMPORTS = 2;

/** A summary of everything an import writes. */
async function readState(db: Db): Promise<{ generation: number; content: string }> {
  // A snapshot, because reading every row takes longer than the time-out of a lookup.
  const { generation, ...content } =
    (await db.snapshot((snapshot) =>
      snapshot.one<{ generation: number }>(
        `SELECT (SELECT generation FROM generation) AS generation, count(*) AS entities,
        sum(CASE WHEN status = 'delisted' THEN 1 ELSE 0 END) AS delisted, sum(length(source_data)) AS bytes,
        (SELECT count(*) FROM imports) AS imports, (SELECT max(entities) FROM holdings) AS held,
        (SELECT count(*) FROM journal) AS entries, (SELECT count(*) FROM changes) AS changes FROM entities`,
      ),
    )) ?? assert.fail();
  return { generation, content: JSON.stringify(content) };
}

for (const engine of usualEngines) {
  const title = `an import is killed under load on ${engine}, ${KILLED_IMPORTS} times at a random point`;
  test(`${title}: it changes everything or nothing, and the next run completes`, async (t) => {
    const database = await createDatabase(engine);
    const { env, files } = await writeEditions(database, 5_000);
    const importing = (file: string | undefined, ...more: string[]) => ['import', 'gb', file ?? '', '--full', ...more];
    const office = openOffice(database);
    const server = await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'fatal' } });
    t.after(async () => {
      server.kill('SIGKILL');
      await server.ended;
      await office[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    });
    const { registryDb } = office.services;
    assert.equal((await run(importing(files[0]), env)).code, 0);
    const began = performance.now();
    assert.equal((await start(importing(files[1], '--dry-run'), env).ended).code, 0);
    const importMs = performance.now() - began;

    const paths = ['/api/v1/entities?q=holdings', '/api/v1/countries'];
    await using pressure = await startPressure({ office, urls: () => [server.url], paths, callers: 6, allowed: [] });
    let finished = 0;
    const points: number[] = [];
    for (let round = 0; round < KILLED_IMPORTS; round++) {
      const before = await readState(registryDb);
      // Always the edition that is not served, so that there is work even if the previous import finished in time.
      const child = start(importing(files[before.generation % 2]), env);
      const point = Math.random() * importMs;
      points.push(Math.round(point));
      await sleep(point);
      child.kill('SIGKILL');
      await child.ended;
      const after = await readState(registryDb);
      if (after.generation === before.generation) assert.equal(after.content, before.content, `killed at ${point} ms`);
      else {
        assert.equal(after.generation, before.generation + 1);
        finished++;
      }
      await checkJournal(registryDb);
    }
    // Until PostgreSQL notices that the killed import is gone, it refuses another one.
    await until('the next run completes', async () => {
      const { generation } = await readState(registryDb);
      return (await run(importing(files[generation % 2]), env)).code === 0;
    });
    await checkJournal(registryDb);
    const { generation } = await readState(registryDb);
    const key = (await office.createAccount()).keys[0] as string;
    await until('the server has the new data', async () => {
      const reply = await fetch(`${server.url}/api/v1/entities`, { headers: { 'x-api-key': key } });
      await reply.arrayBuffer();
      return reply.headers.get('etag')?.includes(`${generation}`);
    });
    const { summary } = await pressure.end();
    t.diagnostic(
      `killed after ${points.join(', ')} of ${Math.round(importMs)} ms, ${finished} had finished; ${summary}`,
    );
  });
}
