import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, mock, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import { decide } from '../../src/metering/decisions.ts';
import { createMeter } from '../../src/metering/meter.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, type Engine, engines, type TestDatabase } from '../harness/databases.ts';
import { readLimits } from '../harness/limits.ts';
import { createCaller, granted, times } from './meter-store.ts';

for (const engine of engines) {
  describe(`prepared statements of the meter on ${engine}`, () => {
    let database: TestDatabase;
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      // One connection, so that all statements are counted.
      db = openStore('accounts', { ...database, poolSize: 1 });
      await migrate(db, readMigrations('accounts'), systemClock);
    });
    after(async () => {
      await db.close();
      await database.remove();
    });

    /** Without the meter, which would give up on a slow machine. */
    const takeBatch = async (size: number) => {
      const takes = times(size, () => ({ caller: createCaller(), charged: true }));
      const decisions = await decide(db, takes, systemClock.now());
      assert.equal(granted(decisions).length, size);
    };

    test('batches of many sizes share their statements', async () => {
      await takeBatch(40);
      const prepared = await countPrepared(engine, db, async () => {
        for (let size = 41; size <= 70; size++) await takeBatch(size);
      });
      assert.equal(prepared, 0, '30 sizes after the first');
    });

    test('small batches have statements of their own, a bounded number of them', async () => {
      const prepared = await countPrepared(engine, db, async () => {
        for (let size = 1; size <= 40; size++) await takeBatch(size);
      });
      assert.ok(prepared <= 3 * 33, `40 sizes prepared ${prepared} statements`);
    });

    test('the last use of any number of keys is read with a few statements', async () => {
      const meter = createMeter(db, testClock(), readLimits());
      const callers = times(150, () => createCaller());
      const takes = callers.map((caller) => ({ caller, charged: true }));
      await decide(db, takes, systemClock.now());
      const prepared = await countPrepared(engine, db, async () => {
        for (let count = 0; count <= 150; count += 3) {
          const found = await meter.readLastUsed(callers.slice(0, count).map(({ keyId }) => keyId));
          assert.equal(found.size, count);
        }
      });
      assert.ok(prepared <= 4, `51 list lengths prepared ${prepared} statements`);
    });
  });
}

/** The number of statements that `work` prepares and the connection keeps. */
async function countPrepared(engine: Engine, db: Db, work: () => Promise<void>): Promise<number> {
  if (engine === 'sqlite') {
    const prepare = mock.method(DatabaseSync.prototype, 'prepare');
    await work();
    prepare.mock.restore();
    return prepare.mock.callCount();
  }
  const readCount = async () =>
    (await db.one<{ count: number }>('SELECT count(*) AS count FROM pg_prepared_statements'))?.count ?? 0;
  const before = await readCount();
  await work();
  return (await readCount()) - before;
}
