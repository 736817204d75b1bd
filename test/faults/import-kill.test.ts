import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../src/db/db.ts';
import { createDatabase, engines } from '../harness/databases.ts';
import { openOffice } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { run, start, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { writeEditions } from './editions.ts';
import { startPressure } from './pressure.ts';
import { LONG, size } from './size.ts';

/** Everything an import writes, in few numbers. */
async function readState(db: Db): Promise<{ generation: number; content: string }> {
  // A snapshot, for it reads every row, which takes longer than a look-up may.
  const { generation, ...content } =
    (await db.snapshot((snapshot) =>
      snapshot.one<{ generation: number }>(
        `SELECT (SELECT generation FROM generation) AS generation, count(*) AS entities,
        sum(CASE WHEN status = 'delisted' THEN 1 ELSE 0 END) AS delisted, sum(length(source_data)) AS bytes,
        (SELECT count(*) FROM imports) AS imports, (SELECT max(entities) FROM holdings) AS held FROM entities`,
      ),
    )) ?? assert.fail();
  return { generation, content: JSON.stringify(content) };
}

for (const engine of engines) {
  const title = `an import is killed at ${size.killedImports} random points on ${engine}, under load`;
  test(`${title}: all of it or nothing, and the next run completes`, LONG, async (t) => {
    const database = await createDatabase(engine);
    const { env, files } = await writeEditions(database);
    const importing = (file: string | undefined, ...more: string[]) => ['import', 'gb', file ?? '', '--full', ...more];
    const office = openOffice(database);
    const server = await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'fatal' } });
    t.after(async () => {
      server.kill('SIGKILL');
      await server.ended;
      await office[Symbol.asyncDispose]();
      await database.remove();
    });
    const { registryDb } = office.services;
    assert.equal((await run(importing(files[0]), env)).code, 0);
    const began = performance.now();
    assert.equal((await run(importing(files[1], '--dry-run'), env)).code, 0);
    const wholeMs = performance.now() - began;

    const paths = ['/api/v1/entities?q=holdings', '/api/v1/countries'];
    await using pressure = await startPressure({ office, urls: () => [server.url], paths, callers: 6, allowed: [] });
    let finished = 0;
    const points: number[] = [];
    for (let round = 0; round < size.killedImports; round++) {
      const before = await readState(registryDb);
      // The one that is not served now: an import that was quicker than the kill is followed by one that has work again.
      const child = start(importing(files[before.generation % 2]), env);
      const point = Math.random() * wholeMs;
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
    }
    // PostgreSQL may still be busy with the last one that was killed; until it notices, another is refused.
    await until('the next run completes', async () => {
      const { generation } = await readState(registryDb);
      return (await run(importing(files[generation % 2]), env)).code === 0;
    });
    const { generation } = await readState(registryDb);
    const key = (await office.createAccount()).keys[0] as string;
    await until('the server has the new data', async () => {
      const reply = await fetch(`${server.url}/api/v1/entities`, { headers: { 'x-api-key': key } });
      await reply.arrayBuffer();
      return reply.headers.get('etag')?.includes(`${generation}`);
    });
    const { summary } = await pressure.end();
    t.diagnostic(`killed after ${points.join(', ')} of ${Math.round(wholeMs)} ms, ${finished} were done; ${summary}`);
  });
}
