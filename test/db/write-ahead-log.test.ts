import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { createMemorySearch } from '../../src/search/memory/memory-search.ts';
import { createDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import { writeGb } from '../registry/gb-file.ts';
import { gb, numbered } from '../registry/gb-import.ts';

/** A registry as a server and an import see it: each has its own connections. */
async function openRegistry() {
  const database = await createDatabase('sqlite');
  const [server, importer] = [openStore('registry', database), openStore('registry', database)];
  await migrate(server, readMigrations('registry'), systemClock);
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
      await database.remove();
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
  const database = await createDatabase('sqlite');
  const db = openStore('accounts', database);
  const sizeOfLog = () => statSync(join(database.dataDir, 'accounts.db-wal')).size;
  await db.run('CREATE TABLE blobs (content BYTEA)');
  const megabyte = new Uint8Array(1024 * 1024);
  await db.bulkLoad('blobs', ['content'], Array(24).fill([megabyte]));
  assert.ok(sizeOfLog() > 24 * megabyte.length);
  for (let count = 0; count < 3; count++) await db.run('INSERT INTO blobs (content) VALUES ($1)', [new Uint8Array(1)]);
  assert.ok(sizeOfLog() <= 16 * megabyte.length, `${sizeOfLog()} bytes`);
  await db.close();
  await database.remove();
});
