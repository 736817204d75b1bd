import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import {
  findSchemaState,
  loadMigrationFolder,
  type Migration,
  migrate,
  SchemaError,
} from '../../src/base/db/migrate.ts';
import { openStore } from '../../src/base/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';

const first: Migration = {
  version: 1,
  name: '0001_first.sql',
  sql: 'CREATE TABLE first (a TEXT); CREATE TABLE also (b TEXT);',
};
const second: Migration = { version: 2, name: '0002_second.sql', sql: "INSERT INTO first (a) VALUES ('second')" };
const broken: Migration = {
  version: 2,
  name: '0002_broken.sql',
  sql: 'CREATE TABLE half (a TEXT); INSERT INTO nowhere VALUES (1)',
};

describeOn(engines, 'migrations', (engine) => {
  async function withStore(work: (open: () => ReturnType<typeof openStore>) => Promise<void>): Promise<void> {
    const database = await createDatabase(engine, { empty: true });
    const opened: Array<ReturnType<typeof openStore>> = [];
    try {
      await work(() => {
        const db = openStore('registry', database);
        opened.push(db);
        return db;
      });
    } finally {
      for (const db of opened) await db.close();
      await database[Symbol.asyncDispose]();
    }
  }

  test('applies missing migrations in order, once, and records when', () =>
    withStore(async (open) => {
      const db = open();
      const clock = testClock('2026-01-02T03:04:05.678Z');
      assert.equal(await findSchemaState(db, [first]), 'behind');
      assert.deepEqual(await migrate(db, [first], clock), ['0001_first.sql']);
      assert.equal(await findSchemaState(db, [first]), 'current');
      assert.equal(await findSchemaState(db, [first, second]), 'behind');
      assert.deepEqual(await migrate(db, [first, second], clock), ['0002_second.sql']);
      assert.deepEqual(await migrate(db, [first, second], clock), []);
      assert.equal((await db.all('SELECT a FROM first')).length, 1);
      const row = await db.one('SELECT name, applied_at FROM migrations WHERE version = 2');
      assert.deepEqual({ ...row }, { name: '0002_second.sql', applied_at: Date.parse('2026-01-02T03:04:05.678Z') });
    }));

  test('of two processes that start together, one migrates and the other waits and finds nothing to do', () =>
    withStore(async (open) => {
      const results = await Promise.all(Array.from({ length: 5 }, () => migrate(open(), [first, second], testClock())));
      assert.deepEqual(
        results.filter((applied) => applied.length > 0),
        [['0001_first.sql', '0002_second.sql']],
      );
    }));

  test('a failing migration leaves the schema unchanged', () =>
    withStore(async (open) => {
      const db = open();
      await migrate(db, [first], testClock());
      await assert.rejects(migrate(db, [first, broken], testClock()), /nowhere/);
      assert.equal(await db.hasTable('half'), false);
      assert.equal(await findSchemaState(db, [first]), 'current');
    }));

  test('a database with a newer schema is rejected', () =>
    withStore(async (open) => {
      const db = open();
      await migrate(db, [first, second], testClock());
      assert.equal(await findSchemaState(db, [first]), 'newer');
      await assert.rejects(
        migrate(db, [first], testClock()),
        (error) => error instanceof SchemaError && /newer release/.test(error.message),
      );
    }));

  test('a database of a development version is rejected, and says what to do', () =>
    withStore(async (open) => {
      const db = open();
      await migrate(db, [{ ...first, name: '0001_generation.sql' }, second], testClock());
      for (const migrations of [[first], [first, second], [first, second, { ...broken, version: 3 }]]) {
        assert.equal(await findSchemaState(db, migrations), 'unreleased');
        await assert.rejects(
          migrate(db, migrations, testClock()),
          (error) => error instanceof SchemaError && /Set DATA_DIR or DATABASE_URL to an empty/.test(error.message),
        );
      }
    }));
});

test('a gap in the numbers or an invalid name of a migration file is an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-migrations-'));
  const url = pathToFileURL(`${folder}/`);
  writeFileSync(join(folder, '0001_a.sql'), '');
  writeFileSync(join(folder, '0003_c.sql'), '');
  assert.throws(() => loadMigrationFolder(url), /0003_c\.sql must be named 0002_/);
  rmSync(join(folder, '0003_c.sql'));
  writeFileSync(join(folder, '2_b.sql'), '');
  assert.throws(() => loadMigrationFolder(url), /2_b\.sql must be named 0002_/);
  rmSync(folder, { recursive: true });
});
