import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { provideData } from '../../bench/search/data.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { type RunningServer, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';

/** An index of about 65 MB. A thread needs about 55 MB without an index; a copy of the index would make that 120. */
const ENTITIES = 250_000;
const MAX_MEGABYTES_PER_THREAD = 90;

test('threads share one index: memory does not grow by an index per thread', { timeout: 120_000 }, async (t) => {
  const database = await createDatabase('sqlite');
  t.after(() => database[Symbol.asyncDispose]());
  await provideData(database.dataDir, ENTITIES, () => undefined);
  // Building an index takes more memory than loading it, so the first start builds and saves it.
  await measure(database, 1);
  const [few, many] = [await measure(database, 2), await measure(database, 5)];
  assert.ok(few.indexMegabytes > 50, `the index has ${few.indexMegabytes} MB`);
  const each = (many.residentMegabytes - few.residentMegabytes) / 3;
  t.diagnostic(`${few.residentMegabytes} MB with 2 threads, ${many.residentMegabytes} MB with 5`);
  assert.ok(each < MAX_MEGABYTES_PER_THREAD, `${each} MB for each additional thread`);
});

async function measure(database: TestDatabase, workers: number) {
  const server = await startServer(database, { env: { WORKERS: String(workers) } });
  try {
    const log = await untilWritten(server, /"megabytes":(\d+)[^\n]*"search index/, /"metrics":"([^"]+)"/);
    await until('the index is saved', () => existsSync(join(database.dataDir, 'search.index')));
    const metrics = await (await fetch(log[1] as string)).text();
    const bytes = Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
    return { residentMegabytes: Math.round(bytes / 1e6), indexMegabytes: Number(log[0]) };
  } finally {
    server.kill('SIGKILL');
    await server.ended;
  }
}

async function untilWritten(server: RunningServer, ...patterns: RegExp[]): Promise<(string | undefined)[]> {
  const find = () => patterns.map((pattern) => pattern.exec(server.output())?.[1]);
  await until('the log has the figures', () => !find().includes(undefined));
  return find();
}
