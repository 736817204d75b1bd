import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { writeConditions, writeLocate } from '../../src/search/clickhouse/query.ts';
import { bucketOf, columnNames, dumpColumns, readDump, writeLine } from '../../src/search/clickhouse/schema.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { everything } from './world-queries.ts';

/** What does not need ClickHouse. `npm run test:scale` compares its answers. */
describe('search in ClickHouse, without ClickHouse', () => {
  test('buckets are in the order of the bytes of names', () => {
    const name = fc.string({ unit: anyCharacter, maxLength: 4 });
    fc.assert(
      fc.property(name, name, (one, other) => {
        const order = Math.sign(bucketOf(one) - bucketOf(other));
        assert.ok(order === 0 || order === Buffer.compare(Buffer.from(one), Buffer.from(other)));
      }),
    );
    assert.deepEqual(['', 'a', 'ab', 'aé', '\u{10ffff}'].map(bucketOf), [0, 0x6100, 0x6162, 0x61c3, 0xf48f]);
  });

  test('texts of a query are quoted', () => {
    const { indexed = '', others } = writeConditions({ ...everything, q: "a'\\' OR 1 --" });
    assert.match(others[0] ?? '', /^\(position\(name_key, 'a\\'\\\\\\' or 1 --'\) > 0 OR /);
    assert.match(indexed, /, \['a\\'\\\\', '\\'\\\\\\'', /);
    assert.deepEqual(writeConditions({ ...everything, legalForm: "'" }).others, ["legal_form = '\\''"]);
  });

  test('a statement names the publication and leaves out those that failed', () => {
    const published = { build: 3, publication: 9, skipped: [5, 7], version: '1-a', rows: 1, entities: 1 };
    const sql = writeLocate(published, { others: [] }, 'bucket', { from: 0, to: 25 });
    assert.match(sql, /FROM entities_v\d+_3 WHERE publication <= 9 AND publication NOT IN \(5, 7\)\s+GROUP BY/);
  });

  test('rows of the store become rows of ClickHouse, with a value for every column', () => {
    const given: Readonly<Record<string, string>> = {
      activity_keys: 'u1\nu2',
      updated_at: '5',
      activities: '[]',
      named_registry: '{"previousNames":[{"name":"Завод 7"}]}',
    };
    const values = dumpColumns.map((column) => given[column] ?? column);
    const bytes = Buffer.concat(
      values.map((value, at) => Buffer.concat([at === 2 ? Buffer.of(0xff) : Buffer.from(value), Buffer.of(0)])),
    );
    const [row = [], ...others] = readDump(Buffer.concat([bytes, bytes]));
    assert.equal(others.length, 1);
    const line = JSON.parse(writeLine(row, 7, -1));
    const named = Object.fromEntries(columnNames.map((name, at) => [name, line[at]]));
    assert.equal(line.length, columnNames.length);
    assert.deepEqual([named.id, named.register, named.updated_at, named.activity_keys], ['id', null, 5, ['u1', 'u2']]);
    assert.deepEqual([named.bucket, named.publication, named.sign], [bucketOf('na'), 7, -1]);
    assert.deepEqual([named.name_words, named.romanised_words], [' name key ', '']);
    assert.match(named.former_words, /^ завод 7 .*zavod/);
  });
});
