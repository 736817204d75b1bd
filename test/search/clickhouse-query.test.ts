import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { chooseLimits, createBuckets } from '../../src/search/clickhouse/buckets.ts';
import { dumpColumns, readDump, writeLine } from '../../src/search/clickhouse/entity-rows.ts';
import { writeConditions, writeLocate } from '../../src/search/clickhouse/query.ts';
import { columnNames } from '../../src/search/clickhouse/schema.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { everything } from './world-queries.ts';

/** What does not need ClickHouse. `npm run test:scale` compares its answers. */
describe('search in ClickHouse, without ClickHouse', () => {
  test('buckets divide names in the order of their bytes', () => {
    const names = fc.array(fc.string({ unit: anyCharacter, maxLength: 6 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(names, (sample) => {
        const buckets = createBuckets(chooseLimits(sample, sample.length, 4));
        const sorted = sample
          .map((name) => name.toWellFormed())
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const numbers = sorted.map((name) => buckets.of(name));
        assert.deepEqual(
          numbers,
          numbers.toSorted((a, b) => a - b),
        );
      }),
    );
    const many = Array.from({ length: 1_000 }, (_, at) => `name ${String(at).padStart(4, '0')}`);
    const buckets = createBuckets(chooseLimits(many, 1_000, 100));
    const sizes = Map.groupBy(many, (name) => buckets.of(name));
    assert.deepEqual(
      [...sizes.values()].map(({ length }) => length),
      Array.from({ length: 10 }, () => 100),
    );
  });

  test('texts of a query are quoted', () => {
    const { indexed = '', others } = writeConditions({ ...everything, q: "a'\\' OR 1 --" });
    assert.match(others[0] ?? '', /^\(position\(name_key, 'a\\'\\\\\\' or 1 --'\) > 0 OR /);
    assert.match(indexed, /, \['a\\'\\\\', '\\'\\\\\\'', /);
    assert.deepEqual(writeConditions({ ...everything, legalForm: "'" }).others, ["legal_form = '\\''"]);
  });

  test('a statement names the publication and leaves out those that failed', () => {
    const published = { build: 3, publication: 9, skipped: [5, 7], version: '1-a', rows: 1, entities: 1 };
    const sql = writeLocate(published, { others: [] }, ['bucket'], { from: 0, to: 25 });
    assert.match(sql, /FROM entities_v\d+_3 WHERE publication <= 9 AND publication NOT IN \(5, 7\)\s+GROUP BY/);
  });

  test('rows of the store become rows of ClickHouse, with a value for every column', () => {
    const values = dumpColumns.map((column) =>
      column === 'activity_keys' ? 'u1\nu2' : column === 'updated_at' ? '5' : column === 'activities' ? '[]' : column,
    );
    const bytes = Buffer.concat(
      values.map((value, at) => Buffer.concat([at === 2 ? Buffer.of(0xff) : Buffer.from(value), Buffer.of(0)])),
    );
    const [row = [], ...others] = readDump(Buffer.concat([bytes, bytes]), createBuckets(['a']));
    assert.equal(others.length, 1);
    const line = JSON.parse(writeLine(row, 7, -1));
    const named = Object.fromEntries(columnNames.map((name, at) => [name, line[at]]));
    assert.equal(line.length, columnNames.length);
    assert.deepEqual([named.id, named.register, named.updated_at, named.activity_keys], ['id', null, 5, ['u1', 'u2']]);
    assert.deepEqual([named.bucket, named.publication, named.sign], [1, 7, -1]);
  });
});
