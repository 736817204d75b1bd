import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import '../harness/impatient.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { boundMs } from '../harness/depth.ts';
import { createKeyIn, openOffice } from '../harness/keys.ts';
import { of } from '../harness/load.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';
import { mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts';
import { until } from '../harness/until.ts';
import { startPressure } from './pressure.ts';

const trial = mountSmallDisk(1);
trial?.remove();
const skip = trial === undefined && 'only root can mount a small disk';

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

  async function withServer(database: TestDatabase, work: (server: RunningServer) => Promise<void>): Promise<void> {
    const server = await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'warn' } });
    try {
      await work(server);
    } finally {
      server.kill('SIGKILL');
      await server.ended;
    }
  }

  const sqliteOn = (disk: SmallDisk): TestDatabase => {
    return { engine: 'sqlite', dataDir: disk.folder, databaseUrl: undefined, remove: async () => disk.remove() };
  };
  const mount = (megabytes: number) => mountSmallDisk(megabytes) ?? assert.fail('cannot mount');

  test('SQLite answers 503, no answer is uncharged, and it recovers when there is space', async (t) => {
    const disk = mount(64);
    const database = sqliteOn(disk);
    const office = openOffice(database);
    try {
      await office.createAccount();
      await withServer(database, async (server) => {
        const allowed = ['503 service_unavailable'];
        await using pressure = await startPressure({ office, urls: () => [server.url], allowed });
        disk.fill();
        await until('requests are refused', () => of(503, pressure.answers).length > 50);
        disk.free();
        const recovered = await pressure.untilServed();
        assert.ok(recovered < boundMs(5_000), `served again after ${recovered} ms`);
        t.diagnostic(`${(await pressure.end()).summary}, served again after ${recovered} ms`);
      });
    } finally {
      await office[Symbol.asyncDispose]();
      disk.remove();
    }
  });

  test('an import into SQLite fails with one sentence, the old data stays, and the next run completes', async (t) => {
    const disk = mount(96);
    const database = sqliteOn(disk);
    const env = { DATA_DIR: disk.folder };
    const office = openOffice(database);
    try {
      await office.createAccount();
      const importing = (file = '') => run(['import', 'gb', file, '--full', '--json'], env);
      assert.equal((await importing(files[0])).code, 0);
      await withServer(database, async (server) => {
        const allowed = ['503 service_unavailable'];
        await using pressure = await startPressure({ office, urls: () => [server.url], callers: 5, allowed });
        disk.fill(1_000_000);
        const failed = await importing(files[1]);
        assert.deepEqual([failed.code, failed.stderr.trim().split('\n').length], [1, 1], failed.stderr);
        assert.match(failed.stderr, /disk is full/);
        const counted = 'SELECT count(*) AS n FROM entities';
        assert.equal((await office.services.registryDb.one<{ n: number }>(counted))?.n, 300);
        disk.free();
        await pressure.untilServed();
        const done = await importing(files[1]);
        assert.deepEqual([done.code, JSON.parse(done.stdout).outcome], [0, 'published'], done.stderr);
        t.diagnostic(`${failed.stderr.trim()}; ${(await pressure.end()).summary}`);
      });
    } finally {
      await office[Symbol.asyncDispose]();
      disk.remove();
    }
  });

  test('if the index file cannot be written, new data is still served and no partial file remains', async () => {
    const disk = mount(4);
    const database = { ...(await createDatabase('postgres')), dataDir: disk.folder };
    const key = await createKeyIn(database);
    const env = { DATA_DIR: folder, DATABASE_URL: database.databaseUrl ?? '' };
    const importInto = async (file = '') => assert.equal((await run(['import', 'gb', file, '--full'], env)).code, 0);
    try {
      await withServer(database, async (server) => {
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
      });
    } finally {
      await database.remove();
      disk.remove();
    }
  });
});
