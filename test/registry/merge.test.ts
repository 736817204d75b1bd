import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { Transaction } from '../../src/base/db/db.ts';
import { nameUuid } from '../../src/base/ids.ts';
import { createRecordSink } from '../../src/import/import-records.ts';
import { pack, unpack } from '../../src/import/mapping/map-thread.ts';
import { type PreparedRow, prepareRecord } from '../../src/import/mapping/prepare.ts';
import { createIdFilter, createMerge } from '../../src/import/road.ts';
import { registers } from '../../src/registers/index.ts';
import { deleteAll } from '../../src/registry/records/imports/store.ts';
import { engines, useStore } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { prepareTools } from '../registers/mapping.ts';

const register = registers.find(({ id }) => id === 'gb') ?? assert.fail();
const prepare = (number: number, name = `Company ${number} ü€`, origins?: string): PreparedRow => {
  const registration = { authority: 'A', type: 'national', status: null, registeredAt: null, endedAt: null } as const;
  return prepareRecord(
    prepareTools(register, registers),
    {
      number: String(number),
      canonicalName: name,
      status: 'active',
      legalForm: number % 2 === 0 ? null : { code: 'AS' },
      registeredAt: null,
      registrations: [{ ...registration, number: String(number) }],
      activities: [],
      registry: {},
      ...(number % 3 === 0 && { link: { register: 'no', number: '923609016' } }),
    },
    { layout: number % 2 === 0 ? null : { id: 7, columns: '["a"]' }, text: '["x"]' },
    number,
    origins,
  );
};
const list = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => prepare(from + index));

test('records that were packed for another thread are the same after it', () => {
  const records = [...list(1, 8), prepare(9, 'with origins', '0:1;2:5-7')];
  assert.deepEqual(unpack(structuredClone(pack(records))), records);
  assert.deepEqual(unpack(pack([])), []);
});

test('the filter of ids never denies an id that was added, and denies nearly all others', () => {
  const filter = createIdFilter();
  const ids = Array.from({ length: 20_000 }, (_, index) => nameUuid(hash('sha1', String(index))));
  const maybe = ids.filter((id) => filter.add(id));
  assert.ok(maybe.length <= 20, `${maybe.length} of 20,000 new ids looked known`);
  assert.deepEqual(
    ids.filter((id) => filter.add(id)),
    ids,
  );
});

describeOn(engines, 'merging', (engine) => {
  const store = useStore(engine, 'registry');

  /** Merges the records in an import of their own. Returns the counts and how often stored hashes were read. */
  const merge = (records: readonly PreparedRow[], file: number) =>
    store.db.transaction(async (tx) => {
      let lookups = 0;
      const counting: Transaction = {
        ...tx,
        all: (sql, params) => {
          if (sql.includes('content_hash')) lookups++;
          return tx.all(sql, params);
        },
      };
      const sink = await createRecordSink(counting, register, 1, file);
      const { add, finish, end, counts } = await createMerge(counting, sink, file);
      await add(records, file);
      await finish();
      await sink.close();
      await end();
      return { added: counts.added, unchanged: counts.unchanged, duplicates: counts.duplicates, lookups };
    });

  test('the first import of a register reads no hashes, and still finds repeated rows', async () => {
    await deleteAll(store.db);
    const none = { unchanged: 0, duplicates: 0 };
    assert.deepEqual(await merge(list(0, 1_200), 1), { ...none, added: 1_200, lookups: 0 });
    assert.deepEqual(await merge(list(0, 1_200), 2), { added: 0, unchanged: 1_200, duplicates: 0, lookups: 2 });
    await deleteAll(store.db);
    const repeated = [...list(0, 1_100), prepare(3, 'Late twin')];
    assert.deepEqual(await merge(repeated, 3), { ...none, added: 1_100, duplicates: 1, lookups: 1 });
    const stored = await store.db.all<{ name: string }>('SELECT canonical_name AS name FROM entities WHERE place = 3');
    assert.deepEqual(
      stored.map(({ name }) => name),
      ['Company 3 ü€'],
    );
  });
});
