import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { createKeyIn } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { usePublisher } from '../sources/publisher.ts';
import { makeLv } from '../updating/updating.ts';

describe('a server with two threads that makes exports by schedule', () => {
  let database: TestDatabase;
  const publisher = usePublisher();
  let server: RunningServer;
  let key: string;
  let exportsFolder: string;
  let env: Record<string, string>;

  /** An official file: without its last lines, it is not marked as synthetic. */
  const makeOfficial = async (rows: number) => Buffer.from(`${String(await makeLv(rows)).trimEnd()}\n`);

  before(async () => {
    database = await createDatabase('sqlite', { migrated: true });
    const { dataDir } = database;
    exportsFolder = join(dataDir, 'exports');
    key = await createKeyIn(database);
    publisher.offer('/lv.csv', { body: await makeOfficial(45) });
    const sources = join(dataDir, 'sources.json');
    writeFileSync(sources, JSON.stringify({ lv: [`${publisher.url}/lv.csv`] }));
    const file = join(dataDir, 'lv.csv');
    writeFileSync(file, await makeOfficial(40));
    assert.equal((await run(['import', 'lv', file], { DATA_DIR: dataDir })).code, 0);
    env = { ...paymentEnv, WORKERS: '2', UPDATE: 'daily@03:00', FETCH_SOURCES: sources, EXPORT_FORMATS: 'csv,ndjson' };
  });
  after(async () => {
    server?.kill('SIGKILL');
    await server?.ended;
    await database?.[Symbol.asyncDispose]();
  });

  const list = async () => {
    const reply = await fetch(`${server.url}/api/v1/exports`, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await reply.json()) as { data: Record<string, unknown>[] };
    return data.map(({ generation, format, rows }) => `${generation} ${format} ${rows}`);
  };
  const linesWith = (text: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes(text));

  test('exports are made after an update; what fails is logged, and made when it is next due, without new data', async () => {
    const foreign = join(exportsFolder, '2', 'csv');
    mkdirSync(foreign, { recursive: true });
    writeFileSync(join(foreign, 'mine.txt'), 'x');
    server = await startServer(database, { env });
    await until('an export is made', () => linesWith('export made').length > 0);
    assert.equal(linesWith('"register updated"').length, 1);
    const [failed = ''] = linesWith('an export could not be made');
    assert.match(failed, /"format":"csv".*is not empty and not an export: choose another folder/);
    await until('it is offered', async () => (await list()).includes('2 ndjson 45'));
    assert.ok(!(await list()).some((each) => each.includes('csv')), 'a failed export is not offered');
    rmSync(foreign, { recursive: true });

    server.kill('SIGTERM');
    await server.ended;
    server = await startServer(database, { env: { ...env, WORKERS: '1' } });
    await until('the other export is made', () => linesWith('export made').length > 0);
    assert.equal(linesWith('update started').length, 0, 'nothing new was imported');
    await until('it is offered', async () => (await list()).includes('2 csv 45'));
  });
});
