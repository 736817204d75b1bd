import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { loadMigrations, migrate } from '../../src/base/db/migrate.ts';
import { backUpSqlite, openExistingStore, openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createMemorySearch } from '../../src/search/memory/memory-search.ts';
import { createDatabase } from '../harness/databases.ts';
import { run as runCommand } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { writeGb } from '../registry/gb-file.ts';
import { gb, numbered } from '../registry/gb-import.ts';

/** A store with a table, closed again, so that all of it is in one file. */
async function createFile(t: { after(work: () => void): void }) {
  const dataDir = mkdtempSync(join(tmpdir(), 'firmament-test-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const location = { databaseUrl: undefined, dataDir };
  const db = openStore('registry', location);
  await db.run('CREATE TABLE things (id INTEGER)');
  await db.close();
  return { location, file: join(dataDir, 'registry.db') };
}

/** Files are changed by other programs: if this process closed a file, it would lose SQLite's locks on it. */
const run = (command: string, ...args: string[]) => execFileSync(command, args);

const unavailable = { code: 'service_unavailable' };

describe('a store that another thread has opened', () => {
  test('can be opened and written to', async (t) => {
    const { location } = await createFile(t);
    const db = openExistingStore('registry', location);
    await db.run('INSERT INTO things VALUES (1)');
    assert.equal((await db.one<{ id: number }>('SELECT id FROM things'))?.id, 1);
    await db.close();
  });

  test('is not created if its file was moved away', async (t) => {
    const { location, file } = await createFile(t);
    renameSync(file, `${file}.away`);
    assert.throws(() => openExistingStore('registry', location), unavailable);
    assert.deepEqual(readdirSync(location.dataDir), ['registry.db.away']);
  });

  test('is not created in an empty file', async (t) => {
    const { location, file } = await createFile(t);
    truncateSync(file);
    assert.throws(() => openExistingStore('registry', location), unavailable);
    assert.equal(statSync(file).size, 0);
  });
});

test('a store whose file was damaged for a moment is read again as soon as the file is whole', async (t) => {
  const { location, file } = await createFile(t);
  const db = openStore('registry', location);
  await db.run(
    "INSERT INTO things SELECT value FROM json_each('[' || rtrim(replace(hex(zeroblob(20000)), '00', '1,'), ',') || ']')",
  );
  // The log is empty, but its index still has the number of pages.
  assert.equal(await db.shrinkLog(), true);
  const count = async () => (await db.one<{ n: number }>('SELECT count(*) AS n FROM things'))?.n;
  // The file is looked at now, and not again for a moment: the next read has damaged pages in its cache.
  await db.one('SELECT 1 AS one');
  run('cp', file, `${file}.saved`);
  run('truncate', '-s', '32768', file);
  await assert.rejects(count(), unavailable);
  run('cp', `${file}.saved`, file);
  await until('the store can be read', async () => (await count().catch(() => undefined)) === 20_000);
  await db.close();
});

test('a closed store stays closed, even if another file takes the place of its own', async (t) => {
  const { location, file } = await createFile(t);
  const db = openStore('registry', location);
  await db.close();
  run('cp', file, `${file}.other`);
  run('mv', `${file}.other`, file);
  await assert.rejects(db.run('INSERT INTO things VALUES (1)'), unavailable);
  await assert.rejects(db.one('SELECT id FROM things'), unavailable);
});

test('shrinking the log gives up while a snapshot reads, unless it is patient', async (t) => {
  const { location } = await createFile(t);
  const [db, other] = [openStore('registry', location), openStore('registry', location)];
  const [hasRead, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const reading = other.snapshot(async (view) => {
    await view.one('SELECT count(*) AS n FROM things');
    hasRead.resolve();
    await release.promise;
  });
  await hasRead.promise;
  await db.run('INSERT INTO things VALUES (1)');
  let hasShrunk: boolean | undefined;
  const patient = db.shrinkLog({ patient: true }).then((shrunk) => {
    hasShrunk = shrunk;
  });
  assert.equal(await other.shrinkLog(), false);
  assert.equal(await other.shrinkLog(), false);
  assert.equal(hasShrunk, undefined);
  release.resolve();
  await Promise.all([reading, patient]);
  assert.equal(hasShrunk, true);
  await Promise.all([db.close(), other.close()]);
});

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);
const FILES = [
  'accounts.db',
  'accounts.db-shm',
  'accounts.db-wal',
  'registry.db',
  'registry.db-shm',
  'registry.db-wal',
];

describe('only the owner can read the stores', () => {
  let folder: string;
  let dataDir: string;
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0o022);
    folder = mkdtempSync(join(tmpdir(), 'firmament-test-'));
    dataDir = join(folder, 'data');
  });
  afterEach(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Opens both stores, writes to them and returns the modes of all files. */
  async function readModes(): Promise<Record<string, string>> {
    const dbs = (['accounts', 'registry'] as const).map((store) =>
      openStore(store, { dataDir, databaseUrl: undefined }),
    );
    for (const db of dbs) await db.run('CREATE TABLE IF NOT EXISTS things (id BIGINT)');
    const modes = Object.fromEntries(
      readdirSync(dataDir)
        .sort()
        .map((name) => [name, modeOf(join(dataDir, name))]),
    );
    for (const db of dbs) await db.close();
    return modes;
  }
  const expected = Object.fromEntries(FILES.map((name) => [name, '600']));

  test('new files, with their logs, in a new folder', async () => {
    assert.deepEqual(await readModes(), expected);
    assert.equal(modeOf(dataDir), '700');
  });

  test('files and folder that an earlier release left readable are repaired', async () => {
    const first = openStore('accounts', { dataDir, databaseUrl: undefined });
    await first.run('CREATE TABLE things (id BIGINT)');
    for (const name of readdirSync(dataDir)) chmodSync(join(dataDir, name), 0o644);
    chmodSync(dataDir, 0o755);
    assert.deepEqual(await readModes(), expected);
    assert.equal(modeOf(dataDir), '700');
    await first.close();
  });

  test('a folder that holds other things keeps its mode', async () => {
    mkdirSync(dataDir, { mode: 0o755 });
    writeFileSync(join(dataDir, 'notes.txt'), '');
    await openStore('accounts', { dataDir, databaseUrl: undefined }).close();
    assert.equal(modeOf(dataDir), '755');
    const shared = join(folder, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    await openStore('accounts', { dataDir: shared, databaseUrl: undefined }).close();
    await openStore('accounts', { dataDir: shared, databaseUrl: undefined }).close();
    assert.equal(modeOf(shared), '1777', 'a folder for everybody, such as /tmp');
    assert.equal(modeOf(join(shared, 'accounts.db')), '600');
  });

  test('a copy in a folder that others can read', async () => {
    await readModes();
    await backUpSqlite(join(dataDir, 'accounts.db'), join(folder, 'copy.db'));
    assert.equal(modeOf(join(folder, 'copy.db')), '600');
  });
});

/** A registry as a server and an import see it: each has its own connections. */
async function openRegistry() {
  const database = await createDatabase('sqlite');
  const [server, importer] = [openStore('registry', database), openStore('registry', database)];
  await migrate(server, loadMigrations('registry'), systemClock);
  return {
    database,
    server,
    sizeOfLog: () => statSync(join(database.dataDir, 'registry.db-wal')).size,
    async importCompanies(count: number, dryRun = false) {
      const file = writeGb(database.dataDir, 'companies.csv', numbered(count));
      await importFiles(importer, systemClock, { register: gb, registers, paths: [file], mode: 'full', dryRun });
    },
    async [Symbol.asyncDispose]() {
      await importer.close();
      await server.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

describe('the write-ahead log of the registry while a server has it open', () => {
  test('is empty after an import, and after a dry run', async () => {
    await using registry = await openRegistry();
    const { server, sizeOfLog, importCompanies } = registry;
    assert.ok(sizeOfLog() > 0, 'the migrations are in it');
    await importCompanies(500);
    assert.equal(sizeOfLog(), 0);
    assert.equal((await server.one('SELECT count(*) AS count FROM entities'))?.count, 500);
    await importCompanies(600, true);
    assert.equal(sizeOfLog(), 0);
  });

  test('is emptied by the thread that builds the index, if a reader prevented the import from doing it', async () => {
    await using registry = await openRegistry();
    const { server, sizeOfLog, importCompanies } = registry;
    const { dataDir, databaseUrl } = registry.database;
    await importCompanies(10);
    const log = { info: () => undefined, warn: () => undefined };
    const search = createMemorySearch({ db: server, location: { dataDir, databaseUrl }, log });
    await server.snapshot(async (view) => {
      await view.one('SELECT count(*) AS count FROM entities');
      await importCompanies(500);
      assert.ok(sizeOfLog() > 0, 'the reader uses the old data');
    });
    await search.refresh();
    assert.ok(search.isReady());
    await until('the log is empty', async () => sizeOfLog() === 0);
    await search.close();
  });
});

test('the write-ahead log of the accounts gives back the space of a large transaction', async () => {
  await using database = await createDatabase('sqlite');
  const db = openStore('accounts', database);
  const sizeOfLog = () => statSync(join(database.dataDir, 'accounts.db-wal')).size;
  await db.run('CREATE TABLE blobs (content BYTEA)');
  const megabyte = new Uint8Array(1024 * 1024);
  await db.bulkLoad('blobs', ['content'], Array(24).fill([megabyte]));
  assert.ok(sizeOfLog() > 24 * megabyte.length);
  for (let count = 0; count < 3; count++) await db.run('INSERT INTO blobs (content) VALUES ($1)', [new Uint8Array(1)]);
  assert.ok(sizeOfLog() <= 16 * megabyte.length, `${sizeOfLog()} bytes`);
  await db.close();
});

test('"firmament backup" overwrites nothing, reports missing files, and points to the tools of PostgreSQL', async (t) => {
  const database = await createDatabase('sqlite');
  const env = { DATA_DIR: database.dataDir };
  const folder = mkdtempSync(join(tmpdir(), 'firmament-backup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  t.after(() => database[Symbol.asyncDispose]());
  const refuse = async (args: string[], env: Record<string, string>, code: number, message: RegExp) => {
    const ended = await runCommand(['backup', ...args], env);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
  };
  await refuse([folder], env, 1, /^DATA_DIR .* has no accounts\.db\.\n$/);
  assert.equal((await runCommand(['migrate'], env)).code, 0);
  await refuse([database.dataDir], env, 1, /already contains accounts\.db: choose another folder\.\n$/);
  await refuse([], env, 2, /Name one folder/);
  await refuse([folder], { DATABASE_URL: 'postgres://u:hunter2@db/x' }, 1, /^The data is in PostgreSQL .*pg_dump/);
  writeFileSync(join(folder, 'file'), '');
  await refuse([join(folder, 'file')], env, 1, /^Cannot copy accounts\.db to .*(EEXIST|ENOTDIR)/);
  const small = join(folder, 'small');
  assert.equal((await runCommand(['backup', small, '--accounts-only'], env)).code, 0);
  assert.deepEqual([existsSync(join(small, 'accounts.db')), existsSync(join(small, 'registry.db'))], [true, false]);
});
