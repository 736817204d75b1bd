import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Db } from '../../src/base/db/db.ts';
import { openPostgres } from '../../src/base/db/postgres.ts';
import { openSqlite } from '../../src/base/db/sqlite.ts';
import { Failure } from '../../src/base/errors.ts';
import { createDatabase } from '../harness/databases.ts';
import { createPostgresServer, type PostgresServer, silence } from '../harness/postgres-server.ts';
import { until } from '../harness/until.ts';

const unavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';

describe('when PostgreSQL is unavailable', () => {
  let server: PostgresServer;
  /** Waits as long as a busy machine may need. */
  let db: Db;
  /** Has short time-outs, for tests of the time-outs themselves. */
  let hasty: Db;
  before(async () => {
    // By default PostgreSQL looks for deadlocks after one second.
    server = await createPostgresServer({ settings: { deadlock_timeout: '50ms' } });
    const open = (statementTimeoutMs: number, connectTimeoutMs: number) =>
      openPostgres(server.url, { schema: 'accounts', statementTimeoutMs, connectTimeoutMs });
    db = open(60_000, 60_000);
    hasty = open(300, 60_000);
    await db.transaction((tx) => tx.claimSchema());
  });
  after(async () => {
    await hasty.close();
    await db.close();
    await server.destroy();
  });
  const ask = async (of = db) => (await of.one<{ one: number }>('SELECT 1 AS one'))?.one;

  test('a crash fails the open transaction, and no broken connection is used again', async () => {
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
    const failing = db.transaction(async (tx) => {
      await tx.one('SELECT 1 AS one');
      await server.stop('immediate');
      return tx.one('SELECT 2 AS two');
    });
    await assert.rejects(failing, unavailable);
    await assert.rejects(ask(), unavailable);
    await server.start();
    assert.equal(await ask(), 1);
  });

  test('of two deadlocked transactions, one fails as unavailable and the other commits', async () => {
    await db.transaction((tx) =>
      tx.script('CREATE TABLE pair (id BIGINT PRIMARY KEY, n BIGINT); INSERT INTO pair VALUES (1, 0), (2, 0)'),
    );
    let changed = 0;
    const bothHaveTheirFirstRow = async () => {
      changed++;
      await until('both transactions hold a row', () => changed >= 2);
    };
    const change = (...ids: number[]) =>
      db.transaction(
        async (tx) => {
          for (const id of ids) {
            await tx.run('UPDATE pair SET n = n + 1 WHERE id = $1', [id]);
            await bothHaveTheirFirstRow();
          }
        },
        { patient: true },
      );
    const results = await Promise.allSettled([change(1, 2), change(2, 1)]);
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 1);
    assert.ok(unavailable(refused[0]?.reason), String(refused[0]?.reason));
    assert.deepEqual(
      (await db.all('SELECT n FROM pair')).map(({ n }) => n),
      [1, 1],
    );
    assert.equal(await ask(), 1);
  });

  test('a server that does not respond times out, and is used again when it responds', async () => {
    const responds = async () => (await ask(hasty).catch(() => undefined)) === 1;
    await until('the server has responded in time', responds);
    const resume = silence(server.pid);
    const started = performance.now();
    try {
      await assert.rejects(ask(hasty), unavailable);
      assert.ok(performance.now() - started < 2_000, `took ${performance.now() - started} ms`);
    } finally {
      resume();
    }
    await until('the server responds again', responds);
  });

  test('a statement is stopped at its time-out, except in a patient transaction', async () => {
    await assert.rejects(hasty.one('SELECT pg_sleep(60)'), unavailable);
    await hasty.transaction(async (tx) => tx.one('SELECT pg_sleep(0.6)'), { patient: true });
    assert.equal(await ask(), 1);
  });
});

test('SQLite: a write times out behind a lock of another process, without blocking the event loop', async () => {
  await using database = await createDatabase('sqlite');
  const file = `${database.dataDir}/busy.db`;
  const holder = openSqlite(file, { durability: 'normal' });
  const waiter = openSqlite(file, { durability: 'normal', busyTimeoutMs: 200 });
  await holder.run('CREATE TABLE t (a TEXT)');
  await holder.transaction(async () => {
    const { idle, active } = performance.eventLoopUtilization();
    await assert.rejects(waiter.run("INSERT INTO t (a) VALUES ('x')"), unavailable);
    const { utilization } = performance.eventLoopUtilization({ idle, active, utilization: 0 });
    // A write that blocks the event loop keeps it busy for all of the wait.
    assert.ok(utilization < 0.9, `the event loop was busy ${Math.round(utilization * 100)} % of the wait`);
  });
  await waiter.run("INSERT INTO t (a) VALUES ('x')");
  await waiter.close();
  await holder.close();
});

test('SQLite: writes that queue behind a lock all fail within one time-out', async () => {
  await using database = await createDatabase('sqlite');
  const file = `${database.dataDir}/queue.db`;
  const holder = openSqlite(file, { durability: 'normal' });
  const waiter = openSqlite(file, { durability: 'normal', busyTimeoutMs: 1_000 });
  await holder.run('CREATE TABLE t (a TEXT)');
  const insert = "INSERT INTO t (a) VALUES ('x')";
  const statement = () => waiter.run(insert);
  const transaction = () => waiter.transaction((tx) => tx.run(insert));
  await holder.transaction(async () => {
    for (const write of [statement, transaction]) {
      const started = performance.now();
      const results = await Promise.allSettled(Array.from({ length: 20 }, write));
      const elapsed = performance.now() - started;
      for (const result of results) assert.ok(result.status === 'rejected' && unavailable(result.reason));
      // One time-out each, one after the other, would take 20 s.
      assert.ok(elapsed >= 990 && elapsed < 19_000, `took ${elapsed} ms`);
    }
  });
  await waiter.close();
  await holder.close();
});
