import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { createKeyIn } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { type Publisher, startPublisher } from '../sources/publisher.ts';
import { makeLv } from '../updating/updating.ts';
import { fileAddress, writeExport } from './exports.ts';

/** Larger than all buffers between two processes. */
const LARGE = randomBytes(32 * 1024 * 1024);
/** Above the generations of the test, so that it is not removed. */
const LARGE_FILE = fileAddress('ndjson/entities/country=LV/part-0000.ndjson', 900);
const CLIENTS = 2;

describe('a server with two threads that makes exports by schedule', () => {
  let database: TestDatabase;
  let publisher: Publisher;
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
    publisher = await startPublisher();
    publisher.offer('/lv.csv', { body: await makeOfficial(45) });
    const sources = join(dataDir, 'sources.json');
    writeFileSync(sources, JSON.stringify({ lv: [`${publisher.url}/lv.csv`] }));
    const file = join(dataDir, 'lv.csv');
    writeFileSync(file, await makeOfficial(40));
    assert.equal((await run(['import', 'lv', file], { DATA_DIR: dataDir })).code, 0);
    await writeExport(exportsFolder, { generation: 900, format: 'ndjson', countries: { LV: LARGE } });
    env = { ...paymentEnv, WORKERS: '2', UPDATE: 'daily@03:00', FETCH_SOURCES: sources, EXPORT_FORMATS: 'csv,ndjson' };
  });
  after(async () => {
    server?.kill('SIGKILL');
    await server?.ended;
    await publisher?.close();
    await database?.remove();
  });

  const request = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const list = async () => {
    const { data } = (await (await request('/api/v1/exports')).json()) as { data: Record<string, unknown>[] };
    return data.map(({ generation, format, rows }) => `${generation} ${format} ${rows}`);
  };
  const linesWith = (text: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes(text));

  /** Reads the first bytes. `rest` reads the others and returns whether all have arrived. */
  async function beginDownload() {
    const reply = await request(LARGE_FILE);
    const reader = reply.body?.getReader() ?? assert.fail();
    const chunks: Uint8Array[] = [];
    const readChunk = async () => {
      const { done, value } = await reader.read();
      if (value !== undefined) chunks.push(value);
      return done;
    };
    await readChunk();
    const rest = async (): Promise<boolean> => {
      try {
        while (!(await readChunk()));
        return true;
      } catch {
        return false;
      }
    };
    return { chunks, etag: reply.headers.get('etag') ?? '', rest };
  }

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

    const downloads = await Promise.all(Array.from({ length: CLIENTS }, beginDownload));
    server.kill('SIGTERM');
    await until('the server stops', () => linesWith('stopping').length > 0);
    // Downloads have 25 seconds, or until a second signal. Two signals within 200 ms are one.
    const first = performance.now();
    await until('another signal is a second one', () => performance.now() > first + 250);
    server.kill('SIGTERM');
    await server.ended;
    assert.deepEqual(await Promise.all(downloads.map(({ rest }) => rest())), Array(CLIENTS).fill(false));

    server = await startServer(database, { env: { ...env, WORKERS: '1' } });
    for (const { chunks, etag } of downloads) {
      const begun = Buffer.concat(chunks);
      assert.ok(begun.length > 0 && begun.length < LARGE.length);
      const reply = await request(LARGE_FILE, { range: `bytes=${begun.length}-`, 'if-range': etag });
      assert.equal(reply.status, 206);
      const whole = Buffer.concat([begun, await reply.bytes()]);
      assert.equal(`"${hash('sha256', whole)}"`, etag);
    }
    await until('the other export is made', () => linesWith('export made').length > 0);
    assert.equal(linesWith('update started').length, 0, 'nothing new was imported');
    await until('it is offered', async () => (await list()).includes('2 csv 45'));
  });
});
