import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Failure } from '../../src/core/errors.ts';
import type { Db, Transaction, Value } from '../../src/db/db.ts';
import { openStore } from '../../src/db/open.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';

const unavailable = (error: unknown) => error instanceof Failure && error.code === 'service_unavailable';

for (const engine of engines) {
  describe(`Db on ${engine}`, () => {
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
      await database.remove();
    });
    const clear = () => db.run('DELETE FROM things');
    const names = async () =>
      (await db.all<{ name: string }>('SELECT name FROM things ORDER BY name')).map((r) => r.name);

    test('run returns the number of changed rows, one the first row or undefined, all all rows', async () => {
      await clear();
      assert.equal(await db.run('INSERT INTO things (name, amount) VALUES ($1, $2), ($3, $2)', ['a', 1, 'b']), 2);
      assert.equal(await db.run('UPDATE things SET amount = $1 WHERE name = $2', [5, 'none']), 0);
      assert.equal(await db.one('SELECT name FROM things WHERE name = $1', ['none']), undefined);
      assert.deepEqual(
        { ...(await db.one('SELECT name, amount FROM things WHERE name = $1', ['a'])) },
        { name: 'a', amount: 1 },
      );
      assert.equal((await db.all('SELECT name FROM things')).length, 2);
    });

    test('a statement with RETURNING returns its rows and commits', async () => {
      await clear();
      const upsert = `INSERT INTO counters (name, value) VALUES ($1, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`;
      assert.equal((await db.one<{ value: number }>(upsert, ['returning']))?.value, 1);
      assert.equal((await db.one<{ value: number }>(upsert, ['returning']))?.value, 2);
      const stored = await db.one('SELECT value FROM counters WHERE name = $1', ['returning']);
      assert.equal(stored?.value, 2);
    });

    test('values are read back unchanged, with the same JavaScript type', async () => {
      await clear();
      const row: Value[] = ['Łódź 🏢 "quoted" \\ \t\n', Number.MAX_SAFE_INTEGER, 0.1, new Uint8Array([0, 255, 10, 92])];
      await db.run('INSERT INTO things (name, amount, ratio, bytes) VALUES ($1, $2, $3, $4)', row);
      assert.deepEqual(Object.values((await db.one('SELECT name, amount, ratio, bytes FROM things')) ?? {}), row);
      await db.run('UPDATE things SET amount = $1, ratio = $2, bytes = $3', [null, null, null]);
      assert.deepEqual(Object.values((await db.one('SELECT amount, ratio, bytes FROM things')) ?? {}), [
        null,
        null,
        null,
      ]);
    });

    test('counts, sums and comparisons are numbers, JSON is text', async () => {
      await clear();
      await db.run('INSERT INTO things (name, amount) VALUES ($1, $2), ($3, $4)', ['a', 2 ** 40, 'b', -1]);
      const sql =
        'SELECT count(*) AS n, sum(amount) AS total, max(amount) > 5 AS large, min(amount) > 5 AS small FROM things';
      assert.deepEqual({ ...(await db.one(sql)) }, { n: 2, total: 2 ** 40 - 1, large: 1, small: 0 });
      const json = { text: '{"a": [1, null]}' };
      const cast = engine === 'postgres' ? 'SELECT $1::json AS text' : 'SELECT json($1) AS text';
      assert.deepEqual(JSON.parse(String((await db.one(cast, [json.text]))?.text)), JSON.parse(json.text));
    });

    test('an integer that JavaScript cannot represent exactly is an error, never rounded', async () => {
      await clear();
      await db.run("INSERT INTO things (name, amount) VALUES ('big', 9007199254740993)");
      await assert.rejects(db.one('SELECT amount FROM things'), (error) => !unavailable(error));
    });

    test('COLLATE "binary" orders by code point', async () => {
      await clear();
      const shuffled = ['b', 'Z', 'é', 'a', '_', 'ž', 'B', '🏢', '，'];
      await db.bulkLoad(
        'things',
        ['name'],
        shuffled.map((name) => [name]),
      );
      const rows = await db.all<{ name: string }>('SELECT name FROM things ORDER BY name COLLATE "binary"');
      assert.deepEqual(
        rows.map((row) => row.name),
        ['B', 'Z', '_', 'a', 'b', 'é', 'ž', '，', '🏢'],
      );
    });

    test('a violated constraint and invalid SQL do not count as an unavailable database', async () => {
      await clear();
      await db.run("INSERT INTO things (name) VALUES ('a')");
      await assert.rejects(db.run("INSERT INTO things (name) VALUES ('a')"), (error) => !unavailable(error));
      await assert.rejects(db.all('SELECT nothing FROM nowhere'), (error) => !unavailable(error));
      assert.deepEqual(await names(), ['a']);
    });

    test('a transaction commits when it returns and rolls back when it throws', async () => {
      await clear();
      const result = await db.transaction(async (tx) => {
        await tx.run("INSERT INTO things (name) VALUES ('kept')");
        return (await tx.one<{ n: number }>('SELECT count(*) AS n FROM things'))?.n;
      });
      assert.equal(result, 1);
      const failing = db.transaction(async (tx) => {
        await tx.run("INSERT INTO things (name) VALUES ('lost')");
        throw new Error('changed my mind');
      });
      await assert.rejects(failing, /changed my mind/);
      assert.deepEqual(await names(), ['kept']);
      await db.run("INSERT INTO things (name) VALUES ('after')");
      assert.deepEqual(await names(), ['after', 'kept']);
    });

    test('a handle fails after its transaction has ended, and writes nothing', async () => {
      await clear();
      let late: Transaction | undefined;
      await db.transaction(async (tx) => {
        late = tx;
      });
      await assert.rejects(async () => late?.run("INSERT INTO things (name) VALUES ('late')"), /has ended/);
      const failed = db.transaction(async (tx) => {
        late = tx;
        throw new Error('no');
      });
      await assert.rejects(failed, /no/);
      await assert.rejects(async () => late?.bulkLoad('things', ['name'], [['late']]), /has ended/);
      assert.deepEqual(await names(), []);
    });

    test('an open transaction is invisible to readers and does not block them', async () => {
      await clear();
      await db.transaction(async (tx) => {
        await tx.run("INSERT INTO things (name) VALUES ('hidden')");
        assert.deepEqual(await names(), []);
        await sleep(10);
        assert.deepEqual(await names(), []);
      });
      assert.deepEqual(await names(), ['hidden']);
    });

    test('fifty concurrent increments are all counted', async () => {
      const upsert = `INSERT INTO counters (name, value) VALUES ($1, 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1 RETURNING value`;
      const single = Array.from({ length: 25 }, () => db.one<{ value: number }>(upsert, ['race']));
      const inTransaction = Array.from({ length: 25 }, () =>
        db.transaction((tx) => tx.one<{ value: number }>(upsert, ['race'])),
      );
      const values = (await Promise.all([...single, ...inTransaction])).map((row) => row?.value ?? 0);
      assert.deepEqual(
        values.sort((a, b) => a - b),
        Array.from({ length: 50 }, (_, index) => index + 1),
      );
    });

    test('bulkLoad stores any text, number, bytes and null unchanged', async () => {
      const value = fc.tuple(
        fc.string({ unit: 'grapheme', maxLength: 30 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
        fc.option(fc.maxSafeInteger()),
        fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Object.is(number, -0))),
        fc.option(fc.uint8Array({ maxLength: 20 })),
      );
      const rows = fc.uniqueArray(value, { selector: ([name]) => name, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(rows, async (expected) => {
          await clear();
          assert.equal(await db.bulkLoad('things', ['name', 'amount', 'ratio', 'bytes'], expected), expected.length);
          const found = await db.all('SELECT name, amount, ratio, bytes FROM things');
          const byName = new Map(found.map((row) => [row.name, Object.values(row)]));
          for (const row of expected) assert.deepEqual(byName.get(row[0]), row);
          assert.equal(found.length, expected.length);
        }),
        { numRuns: runs(20, 200) },
      );
    });

    test('bulkLoad escapes the special characters of COPY', async () => {
      await clear();
      const tricky = ['\\N', '\\.', 'a\tb', 'a\nb', 'a\r\nb', '\\', '\\\\t', '"', "'", ''];
      await db.bulkLoad(
        'things',
        ['name'],
        tricky.map((name) => [name]),
      );
      const found = await db.all<{ name: string }>('SELECT name FROM things');
      assert.deepEqual(found.map((row) => row.name).sort(), [...tricky].sort());
    });

    test('bulkLoad streams from an async source, and stores nothing if the source fails', async () => {
      await clear();
      async function* rows(count: number, failAt = -1): AsyncGenerator<Value[]> {
        for (let index = 0; index < count; index++) {
          if (index === failAt) throw new Error('source broke');
          yield [`row ${index}`];
        }
      }
      assert.equal(await db.bulkLoad('things', ['name'], rows(20_000)), 20_000);
      assert.equal((await db.one('SELECT count(*) AS n FROM things'))?.n, 20_000);
      await clear();
      await assert.rejects(db.bulkLoad('things', ['name'], rows(20_000, 15_000)));
      assert.deepEqual(await names(), []);
      await db.run("INSERT INTO things (name) VALUES ('usable')");
    });

    test('a second handle waits for a writer and then continues', async () => {
      await clear();
      const other = openStore('accounts', database);
      const slow = db.transaction(async (tx) => {
        await tx.run("INSERT INTO counters (name, value) VALUES ('lock', 1)");
        await sleep(120);
      });
      await sleep(10);
      const started = performance.now();
      await other.run(`INSERT INTO counters (name, value) VALUES ('lock', 1)
        ON CONFLICT (name) DO UPDATE SET value = counters.value + 1`);
      assert.ok(performance.now() - started > 50, 'the second writer did not wait');
      await slow;
      assert.equal((await db.one("SELECT value FROM counters WHERE name = 'lock'"))?.value, 2);
      await other.close();
    });

    async function readDump(columns: readonly string[]): Promise<Array<Array<string | null>>> {
      const chunks = await db.snapshot((view) => Array.fromAsync(view.dump('things', columns)));
      const rows: Array<Array<string | null>> = [];
      for (const chunk of chunks) {
        const fields = Buffer.from(chunk).toString('latin1').split('\0').slice(0, -1);
        assert.equal(fields.length % columns.length, 0, 'a chunk ends inside a row');
        const values = fields.map((field) => (field === '\xff' ? null : Buffer.from(field, 'latin1').toString()));
        while (values.length > 0) rows.push(values.splice(0, columns.length));
      }
      return rows.sort(([a], [b]) => Number(a) - Number(b));
    }

    test('a dump returns every value as text and null as null, whatever the text contains', async () => {
      const text = fc.string({ unit: anyCharacter }).map((value) => value.toWellFormed().replaceAll('\0', ''));
      const nasty = fc.constantFrom('\\N', '\\', '\\.', '\t', '\n', '\r\n', '\b\f\v', 'ÿ', '', '\u0001');
      const column = fc.option(fc.oneof(text, nasty));
      await fc.assert(
        fc.asyncProperty(fc.array(column, { maxLength: 40 }), async (values) => {
          await clear();
          // Two texts per row: a unique name, and a note that may be null.
          const rows = values.map((value, at) => [`${at}`, value] as const);
          await db.run('ALTER TABLE things ADD COLUMN note TEXT').catch(() => undefined);
          await db.bulkLoad(
            'things',
            ['amount', 'name', 'note'],
            rows.map(([at, value]) => [Number(at), `${at} ${value}`, value]),
          );
          const dumped = await readDump(['amount', 'name', 'note']);
          assert.deepEqual(
            dumped,
            rows.map(([at, value]) => [at, `${at} ${value}`, value]),
          );
        }),
        { numRuns: runs(15, 150) },
      );
    });

    test('a snapshot sees one commit despite later ones, and each chunk of a dump has complete rows', async () => {
      await clear();
      const rows = Array.from({ length: 5_000 }, (_, at) => [`row ${at}`, at] as const);
      await db.bulkLoad('things', ['name', 'amount'], rows);
      await db.snapshot(async (view) => {
        const count = async () => (await view.one<{ count: number }>('SELECT count(*) AS count FROM things'))?.count;
        assert.equal(await count(), 5_000);
        await clear();
        assert.equal(await count(), 5_000);
        let bytes = 0;
        for await (const chunk of view.dump('things', ['name'])) bytes += chunk.length;
        assert.equal(
          bytes,
          rows.reduce((sum, [name]) => sum + name.length + 1, 0),
        );
      });
      assert.deepEqual(await readDump(['name']), []);
    });

    test('a snapshot fails immediately if its reader fails half-way, and the next one works', async () => {
      await clear();
      const rows = Array.from({ length: 20_000 }, (_, at) => [`a row with a name of some length ${at}`, at] as const);
      await db.bulkLoad('things', ['name', 'amount'], rows);
      const failing = db.snapshot(async (view) => {
        for await (const chunk of view.dump('things', ['name'])) throw new Error(`enough after ${chunk.length}`);
      });
      await assert.rejects(failing, /^Error: enough after/);
      assert.equal((await readDump(['name'])).length, 20_000);
      await clear();
    });

    test('hasTable returns whether a table exists', async () => {
      assert.equal(await db.hasTable('things'), true);
      assert.equal(await db.hasTable('nothing'), false);
    });

    test('pool returns the number of connections and of waiting callers', async () => {
      await db.one('SELECT 1 AS one');
      const { open, idle, waiting } = db.pool();
      assert.ok(open >= 1 && idle >= 1 && idle <= open);
      assert.equal(waiting, 0);
    });

    test('a closed database is unavailable', async () => {
      const other = openStore('registry', database);
      await other.close();
      await assert.rejects(other.one('SELECT 1 AS one'), unavailable);
      await assert.rejects(
        other.transaction(async (tx) => tx.one('SELECT 1 AS one')),
        unavailable,
      );
    });
  });
}
