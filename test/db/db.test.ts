import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import pg from 'pg';
import type { Transaction, Value } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { Failure } from '../../src/base/errors.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { until } from '../harness/until.ts';
import { findRelations } from './relation-files.ts';
import { useThings } from './things.ts';

const unavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';

describeOn(engines, 'Db', (engine) => {
  const store = useThings(engine);
  const { clear, names } = store;

  test('run returns the number of changed rows, one the first row or undefined, all all rows', async () => {
    await clear();
    assert.equal(await store.db.run('INSERT INTO things (name, amount) VALUES ($1, $2), ($3, $2)', ['a', 1, 'b']), 2);
    assert.equal(await store.db.run('UPDATE things SET amount = $1 WHERE name = $2', [5, 'none']), 0);
    assert.equal(await store.db.one('SELECT name FROM things WHERE name = $1', ['none']), undefined);
    assert.deepEqual(
      { ...(await store.db.one('SELECT name, amount FROM things WHERE name = $1', ['a'])) },
      { name: 'a', amount: 1 },
    );
    assert.equal((await store.db.all('SELECT name FROM things')).length, 2);
  });

  test('a statement with RETURNING returns its rows and commits', async () => {
    await clear();
    const upsert = `INSERT INTO counters (name, value) VALUES ($1, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`;
    assert.equal((await store.db.one<{ value: number }>(upsert, ['returning']))?.value, 1);
    assert.equal((await store.db.one<{ value: number }>(upsert, ['returning']))?.value, 2);
    const stored = await store.db.one('SELECT value FROM counters WHERE name = $1', ['returning']);
    assert.equal(stored?.value, 2);
  });

  test('values are read back unchanged, with the same JavaScript type', async () => {
    await clear();
    const row: Value[] = ['Łódź 🏢 "quoted" \\ \t\n', Number.MAX_SAFE_INTEGER, 0.1, new Uint8Array([0, 255, 10, 92])];
    await store.db.run('INSERT INTO things (name, amount, ratio, bytes) VALUES ($1, $2, $3, $4)', row);
    assert.deepEqual(Object.values((await store.db.one('SELECT name, amount, ratio, bytes FROM things')) ?? {}), row);
    assert.deepEqual(await store.db.rows('SELECT bytes, amount, amount, name FROM things'), [
      [row[3], row[1], row[1], row[0]],
    ]);
    await store.db.run('UPDATE things SET amount = $1, ratio = $2, bytes = $3', [null, null, null]);
    assert.deepEqual(Object.values((await store.db.one('SELECT amount, ratio, bytes FROM things')) ?? {}), [
      null,
      null,
      null,
    ]);
  });

  test('counts, sums and comparisons are numbers, JSON is text', async () => {
    await clear();
    await store.db.run('INSERT INTO things (name, amount) VALUES ($1, $2), ($3, $4)', ['a', 2 ** 40, 'b', -1]);
    const sql =
      'SELECT count(*) AS n, sum(amount) AS total, max(amount) > 5 AS large, min(amount) > 5 AS small FROM things';
    assert.deepEqual({ ...(await store.db.one(sql)) }, { n: 2, total: 2 ** 40 - 1, large: 1, small: 0 });
    const json = { text: '{"a": [1, null]}' };
    const cast = engine === 'postgres' ? 'SELECT $1::json AS text' : 'SELECT json($1) AS text';
    assert.deepEqual(JSON.parse(String((await store.db.one(cast, [json.text]))?.text)), JSON.parse(json.text));
  });

  test('an integer that JavaScript cannot represent exactly is an error, never rounded', async () => {
    await clear();
    await store.db.run("INSERT INTO things (name, amount) VALUES ('big', 9007199254740993)");
    await assert.rejects(store.db.one('SELECT amount FROM things'), (error) => !unavailable(error));
    await assert.rejects(store.db.rows('SELECT amount FROM things'), (error) => !unavailable(error));
  });

  test('COLLATE "binary" orders by code point', async () => {
    await clear();
    const shuffled = ['b', 'Z', 'é', 'a', '_', 'ž', 'B', '🏢', '，'];
    await store.db.bulkLoad(
      'things',
      ['name'],
      shuffled.map((name) => [name]),
    );
    const rows = await store.db.all<{ name: string }>('SELECT name FROM things ORDER BY name COLLATE "binary"');
    assert.deepEqual(
      rows.map((row) => row.name),
      ['B', 'Z', '_', 'a', 'b', 'é', 'ž', '，', '🏢'],
    );
  });

  test('a violated constraint and invalid SQL do not count as an unavailable database', async () => {
    await clear();
    await store.db.run("INSERT INTO things (name) VALUES ('a')");
    await assert.rejects(store.db.run("INSERT INTO things (name) VALUES ('a')"), (error) => !unavailable(error));
    await assert.rejects(store.db.all('SELECT nothing FROM nowhere'), (error) => !unavailable(error));
    assert.deepEqual(await names(), ['a']);
  });

  test('a transaction commits when it returns and rolls back when it throws', async () => {
    await clear();
    const result = await store.db.transaction(async (tx) => {
      await tx.run("INSERT INTO things (name) VALUES ('kept')");
      return (await tx.one<{ n: number }>('SELECT count(*) AS n FROM things'))?.n;
    });
    assert.equal(result, 1);
    const failing = store.db.transaction(async (tx) => {
      await tx.run("INSERT INTO things (name) VALUES ('lost')");
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.deepEqual(await names(), ['kept']);
    await store.db.run("INSERT INTO things (name) VALUES ('after')");
    assert.deepEqual(await names(), ['after', 'kept']);
  });

  test('a handle fails after its transaction has ended, and writes nothing', async () => {
    await clear();
    let late: Transaction | undefined;
    await store.db.transaction(async (tx) => {
      late = tx;
    });
    await assert.rejects(async () => late?.run("INSERT INTO things (name) VALUES ('late')"), /has ended/);
    const failed = store.db.transaction(async (tx) => {
      late = tx;
      throw new Error('no');
    });
    await assert.rejects(failed, /no/);
    await assert.rejects(async () => late?.bulkLoad('things', ['name'], [['late']]), /has ended/);
    assert.deepEqual(await names(), []);
  });

  test('an open transaction is invisible to readers and does not block them', async () => {
    await clear();
    await store.db.transaction(async (tx) => {
      await tx.run("INSERT INTO things (name) VALUES ('hidden')");
      assert.deepEqual(await names(), []);
    });
    assert.deepEqual(await names(), ['hidden']);
  });

  test('fifty concurrent increments are all counted', async () => {
    const upsert = `INSERT INTO counters (name, value) VALUES ($1, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`;
    const single = Array.from({ length: 25 }, () => store.db.one<{ value: number }>(upsert, ['race']));
    const inTransaction = Array.from({ length: 25 }, () =>
      store.db.transaction((tx) => tx.one<{ value: number }>(upsert, ['race'])),
    );
    const values = (await Promise.all([...single, ...inTransaction])).map((row) => row?.value ?? 0);
    assert.deepEqual(
      values.sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  test('a second handle waits for a writer and then continues', async () => {
    await clear();
    const other = openStore('accounts', store.database);
    let isDone = false;
    let waiting: Promise<unknown> | undefined;
    await store.db.transaction(async (tx) => {
      await tx.run("INSERT INTO counters (name, value) VALUES ('lock', 1)");
      const sql = `INSERT INTO counters (name, value) VALUES ('lock', 1)
          ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`;
      waiting = other.run(sql).then(() => {
        isDone = true;
      });
      // A writer that does not wait is done long before so many reads.
      for (let read = 0; read < 50; read++) await names();
      assert.equal(isDone, false, 'the second writer did not wait');
    });
    await waiting;
    assert.equal((await store.db.one("SELECT value FROM counters WHERE name = 'lock'"))?.value, 2);
    await other.close();
  });

  test('hasTable returns whether a table exists', async () => {
    assert.equal(await store.db.hasTable('things'), true);
    assert.equal(await store.db.hasTable('nothing'), false);
  });

  test('pool returns the number of connections and of waiting callers', async () => {
    await store.db.one('SELECT 1 AS one');
    const { open, idle, waiting } = store.db.pool();
    assert.ok(open >= 1 && idle >= 1 && idle <= open);
    assert.equal(waiting, 0);
  });

  test('a closed database is unavailable', async () => {
    const other = openStore('registry', store.database);
    await other.close();
    await assert.rejects(other.one('SELECT 1 AS one'), unavailable);
    await assert.rejects(
      other.transaction(async (tx) => tx.one('SELECT 1 AS one')),
      unavailable,
    );
  });
});

const SECRET = 'ZQERASED';

test('a PostgreSQL connection that breaks while it is handed out fails one statement, not the process', async () => {
  // A server that crashes writes its last message right behind the first one: both may arrive together.
  const message = (type: string, body: string) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(body.length + 4);
    return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
  };
  const crash = 'SFATAL\0VFATAL\0C57P02\0Mterminating connection because of crash of another server process\0\0';
  const answer = Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I'), message('E', crash)]);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const db = openStore('accounts', { databaseUrl: `postgres://u:p@127.0.0.1:${port}/x`, dataDir: '' });
  await assert.rejects(db.one('SELECT 1'), unavailable);
  await db.close();
  server.close();
});

describe('erasing deleted rows on postgres', () => {
  const store = useThings('postgres');
  const connect = async (database?: string) => {
    const url = new URL(store.database.databaseUrl ?? '');
    if (database !== undefined) url.pathname = database;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  };

  const findSecret = (client: pg.Client) => findRelations(client, (file) => file.includes(SECRET));

  /** Rows that are in the files and in the statistics, then deleted. */
  async function deleteRows(client: pg.Client): Promise<void> {
    const names = Array.from({ length: 200 }, (_, number) => [`${SECRET} ${number}`]);
    await store.db.bulkLoad('things', ['name'], names);
    await client.query('ANALYZE accounts.things');
    await store.db.run(`DELETE FROM things WHERE name LIKE '${SECRET}%'`);
    const found = await findSecret(client);
    assert.ok(
      found.includes('things') && found.includes('things_pkey') && found.includes('pg_statistic'),
      String(found),
    );
  }

  test('waits for older transactions of every database, and for readers that see as far back as these', async () => {
    await using client = await connect();
    await using other = await connect('postgres');
    await using reader = await connect();
    await other.query('BEGIN');
    await other.query('SELECT pg_current_xact_id()');
    await deleteRows(client);
    let isDone = false;
    const erasing = store.db.erase(['things']).then(() => {
      isDone = true;
    });
    /** Until it has looked twice for older transactions, or is done. */
    const untilItWaits = async () => {
      const looks = `SELECT query_start::text AS at FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle' AND query LIKE '%pg_snapshot_xmin%' AND query_start > $1`;
      let since = (await client.query('SELECT clock_timestamp()::text AS now')).rows[0].now;
      for (const time of ['first', 'second']) {
        await until(`the erasure waits, ${time} look`, async () => {
          const [look] = (await client.query(looks, [since])).rows;
          since = look?.at ?? since;
          return isDone || look !== undefined;
        });
      }
    };
    await untilItWaits();
    assert.ok(!isDone, 'it did not wait for the transaction of another database');
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await reader.query('SELECT 1');
    await other.query('COMMIT');
    await untilItWaits();
    assert.ok(!isDone, 'it did not wait for a reader');
    await reader.query('COMMIT');
    await erasing;
    assert.deepEqual(await findSecret(client), []);
  });
});
