import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { findRelations } from '../harness/relation-files.ts';
import { until } from '../harness/until.ts';
import { useThings } from './things.ts';

const SECRET = 'ZQERASED';

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

  for (const rest of ['is empty', 'has other rows']) {
    test(`leaves no byte of them in tables, indexes and statistics of a table that ${rest}`, async () => {
      await using client = await connect();
      await store.clear();
      if (rest === 'has other rows') await store.db.run("INSERT INTO things (name) VALUES ('kept')");
      await deleteRows(client);
      await store.db.erase(['things']);
      assert.deepEqual(await findSecret(client), []);
      assert.deepEqual(await store.names(), rest === 'is empty' ? [] : ['kept']);
    });
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
