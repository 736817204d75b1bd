import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import '../harness/impatient.ts';
import { createDatabase } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { createKeyIn, type Office, openOffice } from '../harness/keys.ts';
import { of } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const trial = mountSmallDisk(1);
trial?.remove();
const skip = trial === undefined && 'only root can mount a small disk';
const ENV = { ...paymentEnv, LOG_LEVEL: 'warn' };

describe('the disk is full', { skip }, () => {
  const files: string[] = [];
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'firmament-test-'));
    for (const [seed, rows] of ['300', '4000'].entries()) {
      const file = join(folder, `register-${seed}.csv`);
      await run(['generate', 'gb', '--rows', rows, '--seed', String(seed), '--out', file], { DATA_DIR: folder });
      files.push(file);
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const mount = (megabytes: number) => mountSmallDisk(megabytes) ?? assert.fail('cannot mount');

  describe('of SQLite', () => {
    let disk: SmallDisk;
    let office: Office;
    let server: RunningServer;
    const importing = (file = '') => run(['import', 'gb', file, '--full', '--json'], { DATA_DIR: disk.folder });
    before(async () => {
      disk = mount(96);
      const database = { engine: 'sqlite', dataDir: disk.folder, databaseUrl: undefined } as const;
      office = openOffice({ ...database, [Symbol.asyncDispose]: async () => undefined });
      await office.createAccount();
      assert.equal((await importing(files[0])).code, 0);
      server = await startServer({ ...database, [Symbol.asyncDispose]: async () => undefined }, { env: ENV });
    });
    after(async () => {
      server?.kill('SIGKILL');
      await server?.ended;
      await office?.[Symbol.asyncDispose]();
      disk?.remove();
    });

    const allowed = ['503 service_unavailable'];

    test('it answers 503, no answer is uncharged, and it recovers when there is space', async (t) => {
      await using pressure = await startPressure({ office, urls: () => [server.url], allowed });
      disk.fill();
      await until('requests are refused', () => of(503, pressure.answers).length > 50);
      disk.free();
      const recovered = await pressure.untilServed();
      assert.ok(recovered < boundMs(5_000), `served again after ${recovered} ms`);
      t.diagnostic(`${(await pressure.end()).summary}, served again after ${recovered} ms`);
    });

    test('an import fails with one sentence, the old data stays, and the next run completes', async (t) => {
      await using pressure = await startPressure({ office, urls: () => [server.url], callers: 5, allowed });
      disk.fill(1_000_000);
      const failed = await importing(files[1]);
      // On a slow machine, lines about the progress come before it.
      const problems = failed.stderr.split('\n').filter((line) => line !== '' && !/rows|…$/.test(line));
      assert.deepEqual([failed.code, problems.length], [1, 1], failed.stderr);
      assert.match(problems[0] ?? '', /disk is full/);
      const counted = 'SELECT count(*) AS n FROM entities';
      assert.equal((await office.services.registryDb.one<{ n: number }>(counted))?.n, 300);
      disk.free();
      await pressure.untilServed();
      const done = await importing(files[1]);
      assert.deepEqual([done.code, JSON.parse(done.stdout).outcome], [0, 'published'], done.stderr);
      t.diagnostic(`${failed.stderr.trim()}; ${(await pressure.end()).summary}`);
    });
  });

  test('if the index file cannot be written, new data is still served and no partial file remains', async () => {
    const disk = mount(4);
    const database = { ...(await createDatabase('postgres')), dataDir: disk.folder };
    const key = await createKeyIn(database);
    const env = { DATA_DIR: folder, DATABASE_URL: database.databaseUrl ?? '' };
    const importInto = async (file = '') => assert.equal((await run(['import', 'gb', file, '--full'], env)).code, 0);
    try {
      const server = await startServer(database, { env: ENV });
      try {
        const total = async () => {
          const reply = await fetch(`${server.url}/api/v1/entities`, { headers: { 'x-api-key': key } });
          return ((await reply.json()) as { meta: { total: number } }).meta.total;
        };
        disk.fill(8_192);
        await importInto(files[1]);
        await until('the new data is served', async () => (await total()) > 3_000);
        await until('the log says so', () => server.output().includes('cannot save the search index'));
        assert.deepEqual(
          readdirSync(disk.folder).filter((name) => name.startsWith('search.index')),
          [],
        );
        disk.free();
        await importInto(files[0]);
        await until('the index is saved again', () => existsSync(join(disk.folder, 'search.index')));
        assert.ok((await total()) > 3_000, 'entities that a full file lacks are kept as delisted');
      } finally {
        server.kill('SIGKILL');
        await server.ended;
      }
    } finally {
      await database[Symbol.asyncDispose]();
      disk.remove();
    }
  });
});
