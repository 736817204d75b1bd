import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../src/core/errors.ts';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/postgres.ts';
import { openSqlite } from '../../src/db/sqlite.ts';
import { createDatabase } from '../harness/databases.ts';
import { createPostgresServer, type PostgresServer } from '../harness/postgres-server.ts';

const unavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';

describe('PostgreSQL goes away', () => {
  let server: PostgresServer;
  let db: Db;
  before(async () => {
    server = await createPostgresServer();
    db = openPostgres(server.url, { schema: 'accounts', statementTimeoutMs: 300, connectTimeoutMs: 300 });
    await db.transaction((tx) => tx.claimSchema());
  });
  after(async () => {
    await db.close();
    await server.destroy();
  });
  const ask = async () => (await db.one<{ one: number }>('SELECT 1 AS one'))?.one;

  for (const mode of ['fast', 'immediate'] as const) {
    test(`after a ${mode} restart it reconnects by itself`, async () => {
      assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
      await server.stop(mode);
      await assert.rejects(ask(), unavailable);
      await assert.rejects(
        db.transaction((tx) => tx.one('SELECT 1 AS one')),
        unavailable,
      );
      await server.start();
      assert.equal(await ask(), 1);
    });
  }

  test('a transaction whose server dies in the middle fails and its connection is not used again', async () => {
    const dying = db.transaction(async (tx) => {
      await tx.one('SELECT 1 AS one');
      await server.stop('immediate');
      return tx.one('SELECT 2 AS two');
    });
    await assert.rejects(dying, unavailable);
    await server.start();
    assert.equal(await ask(), 1);
  });

  test('of two transactions that wait for each other one is told to try again', async () => {
    await db.transaction((tx) =>
      tx.script('CREATE TABLE pair (id BIGINT PRIMARY KEY, n BIGINT); INSERT INTO pair VALUES (1, 0), (2, 0)'),
    );
    const change = (...ids: number[]) =>
      db.transaction(
        async (tx) => {
          for (const id of ids) {
            await tx.run('UPDATE pair SET n = n + 1 WHERE id = $1', [id]);
            await sleep(100);
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

  test('a server that has gone silent is given up on in time, and used again when it wakes', async () => {
    assert.equal(await ask(), 1);
    process.kill(server.pid, 'SIGSTOP');
    // The postmaster's children serve the open connections: they have to be silenced too.
    const backends = await silenceBackends(server.pid, 'SIGSTOP');
    const started = performance.now();
    try {
      await assert.rejects(ask(), unavailable);
      assert.ok(performance.now() - started < 2_000, `took ${performance.now() - started} ms`);
    } finally {
      for (const pid of backends) process.kill(pid, 'SIGCONT');
      process.kill(server.pid, 'SIGCONT');
    }
    await sleep(50);
    assert.equal(await ask(), 1);
  });

  test('a statement past its time-out is stopped, and a patient transaction is not', async () => {
    await assert.rejects(db.one('SELECT pg_sleep(2)'), unavailable);
    await db.transaction(async (tx) => tx.one('SELECT pg_sleep(0.7)'), { patient: true });
    assert.equal(await ask(), 1);
  });
});

async function silenceBackends(postmaster: number, signal: NodeJS.Signals): Promise<number[]> {
  const { execFileSync } = await import('node:child_process');
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
  const pids = children.trim().split(/\s+/).map(Number);
  for (const pid of pids) process.kill(pid, signal);
  return pids;
}

test('SQLite: a lock held too long by another process is "unavailable", and waiting does not block the event loop', async () => {
  const database = await createDatabase('sqlite');
  const file = `${database.dataDir}/busy.db`;
  const holder = openSqlite(file, { durability: 'normal' });
  const waiter = openSqlite(file, { durability: 'normal', busyTimeoutMs: 200 });
  await holder.run('CREATE TABLE t (a TEXT)');
  await holder.transaction(async () => {
    const { idle, active } = performance.eventLoopUtilization();
    await assert.rejects(waiter.run("INSERT INTO t (a) VALUES ('x')"), unavailable);
    const { utilization } = performance.eventLoopUtilization({ idle, active, utilization: 0 });
    assert.ok(utilization < 0.5, `the event loop was busy ${Math.round(utilization * 100)} % of the wait`);
  });
  await waiter.run("INSERT INTO t (a) VALUES ('x')");
  await waiter.close();
  await holder.close();
  await database.remove();
});
