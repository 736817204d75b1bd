import { after, before } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { createDatabase, type Engine, type TestDatabase } from '../harness/databases.ts';

/** A store with two tables for the tests of the surrounding `describe`, on a database without migrations. */
export function useThings(engine: Engine) {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createDatabase(engine, { empty: true });
    db = openStore('accounts', database);
    await db.transaction(async (tx) => {
      await tx.claimSchema();
      await tx.script(`
        CREATE TABLE things (name TEXT PRIMARY KEY, amount BIGINT, ratio DOUBLE PRECISION, bytes BYTEA);
        CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);`);
    });
  });
  after(async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
  });
  return {
    get database() {
      return database;
    },
    get db() {
      return db;
    },
    clear: () => db.run('DELETE FROM things'),
    names: async () => (await db.all<{ name: string }>('SELECT name FROM things ORDER BY name')).map((row) => row.name),
  };
}
