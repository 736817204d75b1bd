import { after, before } from 'node:test';
import type { Clock } from '../../src/core/clock.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, type Engine, type TestDatabase } from '../harness/databases.ts';

/** Opens a migrated registry store for the tests of the surrounding `describe`. */
export function useRegistryStore(engine: Engine, clock: Clock = testClock()) {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createDatabase(engine, { migrated: true });
    db = openStore('registry', database);
    await migrate(db, readMigrations('registry'), clock);
  });
  after(async () => {
    await db.close();
    await database.remove();
  });
  return {
    get db() {
      return db;
    },
    get database() {
      return database;
    },
  };
}
