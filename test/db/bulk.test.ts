import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DumpedRows, Insert, Value } from '../../src/base/db/db.ts';
import { decodeCopy } from '../../src/base/db/postgres-copy.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { engines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { useThings } from './things.ts';

describeOn(engines, 'bulk loads, dumps and snapshots', (engine) => {
  const store = useThings(engine);
  const { clear, names } = store;

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
        assert.equal(
          await store.db.bulkLoad('things', ['name', 'amount', 'ratio', 'bytes'], expected),
          expected.length,
        );
        const found = await store.db.all('SELECT name, amount, ratio, bytes FROM things');
        const byName = new Map(found.map((row) => [row.name, Object.values(row)]));
        for (const row of expected) assert.deepEqual(byName.get(row[0]), row);
        assert.equal(found.length, expected.length);
      }),
      { numRuns: runs(20, 100) },
    );
  });

  test('insert writes any number of rows in order and returns what RETURNING selects', async () => {
    const into: Insert = {
      table: 'things',
      columns: { name: 'TEXT', amount: 'BIGINT' },
      rest: 'ON CONFLICT (name) DO UPDATE SET amount = things.amount + excluded.amount RETURNING name, amount',
    };
    for (const count of [0, 1, 2, 31, 32, 33, 200]) {
      await clear();
      // Text that an array of PostgreSQL has to escape, and null.
      const rows = Array.from({ length: count }, (_, index) => [`{${index}, "\\'}`, index % 7 === 6 ? null : index]);
      const insert = () => store.db.transaction((tx) => tx.insert<{ name: string; amount: number | null }>(into, rows));
      assert.deepEqual(
        (await insert()).map(({ name, amount }) => [name, amount]),
        rows,
      );
      const doubled = rows.map(([name, amount]) => [name, amount === null ? null : Number(amount) * 2]);
      assert.deepEqual(
        (await insert()).map(({ name, amount }) => [name, amount]),
        doubled,
      );
    }
  });

  test('bulkLoad takes rows from a generator, and stores nothing if the source fails', async () => {
    await clear();
    function* rows(count: number, failAt = -1): Generator<Value[]> {
      for (let index = 0; index < count; index++) {
        if (index === failAt) throw new Error('source broke');
        yield [`row ${index}`];
      }
    }
    assert.equal(await store.db.bulkLoad('things', ['name'], rows(20_000)), 20_000);
    assert.equal((await store.db.one('SELECT count(*) AS n FROM things'))?.n, 20_000);
    await clear();
    await assert.rejects(store.db.bulkLoad('things', ['name'], rows(20_000, 15_000)));
    assert.deepEqual(await names(), []);
    await store.db.run("INSERT INTO things (name) VALUES ('usable')");
  });

  test('filling an empty table leaves it with its indexes, also if it fails', async () => {
    await clear();
    await store.db.run('CREATE INDEX things_amount ON things (amount) WHERE amount > 1');
    const indexes =
      engine === 'sqlite'
        ? "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'things' ORDER BY sql"
        : "SELECT indexdef AS sql FROM pg_indexes WHERE tablename = 'things' ORDER BY 1";
    const before = await store.db.all(indexes);
    const fill = (name: string, check: (during: unknown[]) => void) =>
      store.db.transaction((tx) =>
        tx.fill('things', async () => {
          await tx.bulkLoad('things', ['name', 'amount'], [[name, 2]]);
          check(await tx.all(indexes));
        }),
      );
    const failed = fill('lost', () => {
      throw new Error('work broke');
    });
    await assert.rejects(failed, /work broke/);
    assert.deepEqual(await store.db.all(indexes), before);
    // Afterwards on SQLite, which needs no lock for it, and only if the table is empty.
    await fill('first', (during) => assert.equal(during.length, before.length - (engine === 'sqlite' ? 1 : 0)));
    assert.deepEqual(await store.db.all(indexes), before);
    assert.match(JSON.stringify(before), /amount > 1/);
    await fill('second', (during) => assert.deepEqual(during, before));
    assert.deepEqual(await names(), ['first', 'second']);
    await store.db.run('DROP INDEX things_amount');
  });

  async function readDump(columns: readonly string[], only?: DumpedRows): Promise<Array<Array<string | null>>> {
    const chunks = await store.db.snapshot((view) => Array.fromAsync(view.dump('things', columns, only)));
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
        await store.db.run('ALTER TABLE things ADD COLUMN note TEXT').catch(() => undefined);
        await store.db.bulkLoad(
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
      { numRuns: runs(15, 80) },
    );
  });

  test('a dump of some rows returns those that exist, whatever the values contain', async () => {
    await clear();
    const quoted = ["it's", '\\', 'a"b', "'; DELETE FROM things; --", '%', ''];
    const rows = Array.from({ length: 12_000 }, (_, at) => [quoted[at] ?? `row ${at}`, at] as const);
    await store.db.bulkLoad('things', ['name', 'amount'], rows);
    const wanted = rows.filter(([, at]) => at < 10 || at % 2 === 1);
    const values = [...wanted.map(([name]) => name), 'missing', "'"].reverse();
    assert.deepEqual(
      await readDump(['amount', 'name'], { column: 'name', values }),
      wanted.map(([name, at]) => [String(at), name]),
    );
    assert.deepEqual(await readDump(['name'], { column: 'name', values: [] }), []);
    await clear();
  });

  test('a snapshot sees one commit despite later ones, and each chunk of a dump has complete rows', async () => {
    await clear();
    const rows = Array.from({ length: 5_000 }, (_, at) => [`row ${at}`, at] as const);
    await store.db.bulkLoad('things', ['name', 'amount'], rows);
    await store.db.snapshot(async (view) => {
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
    await store.db.bulkLoad('things', ['name', 'amount'], rows);
    const failing = store.db.snapshot(async (view) => {
      for await (const chunk of view.dump('things', ['name'])) throw new Error(`enough after ${chunk.length}`);
    });
    await assert.rejects(failing, /^Error: enough after/);
    assert.equal((await readDump(['name'])).length, 20_000);
    await clear();
  });
});

test('a decoded chunk can be transferred to another thread before the next one is read', async () => {
  const row = Buffer.from('0123456789\tabcdefghij\n');
  const chunk = Buffer.alloc(row.length * 4_000, row);
  async function* chunks() {
    for (let at = 0; at < 3; at++) yield Buffer.from(chunk);
  }
  let bytes = 0;
  for await (const decoded of decodeCopy(chunks())) {
    bytes += decoded.length;
    structuredClone(decoded.buffer, { transfer: [decoded.buffer as ArrayBuffer] });
  }
  assert.equal(bytes, 3 * chunk.length);
});

test('every escape of the text format is decoded, wherever a chunk ends', async () => {
  // In the order of PostgreSQL's documentation of COPY. Any other character after a backslash stands for itself.
  const encoded = Buffer.from('a\\bb\\fc\\nd\\re\\tf\\vg\\\\h\\"i\t\\N\t\té\n\\N\t\\\\N\n');
  const decoded = Buffer.concat([
    Buffer.from('a\bb\fc\nd\re\tf\vg\\h"i\0'),
    Buffer.from([0xff]),
    Buffer.from('\0\0é\0'),
    Buffer.from([0xff]),
    Buffer.from('\0\\N\0'),
  ]);
  for (let cut = 1; cut < encoded.length; cut++) {
    async function* chunks() {
      yield Buffer.from(encoded.subarray(0, cut));
      yield Buffer.from(encoded.subarray(cut));
    }
    assert.deepEqual(Buffer.concat(await Array.fromAsync(decodeCopy(chunks()))), decoded);
  }
});
