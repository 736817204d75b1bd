import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from 'hyparquet-writer';
import { optimalNumBytes } from 'hyparquet-writer/src/bloom.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { createBloomFilter } from '../../src/exports/parquet/bloom-filter.ts';
import { compareTexts, encodeRuns } from '../../src/exports/parquet/encoding.ts';
import { entityRows } from '../../src/exports/parquet/entity-rows.ts';
import { createParquetWriter } from '../../src/exports/parquet/group.ts';
import { Leaf } from '../../src/exports/parquet/leaf.ts';
import type { LeafOptions } from '../../src/exports/parquet/pages.ts';
import { createPartFile } from '../../src/exports/part-file.ts';
import type { EntityParts } from '../../src/registry/records/records.ts';
import { useFolder } from '../harness/use.ts';
import { makeSummary } from '../web/summaries.ts';
import { useDuck } from './duck.ts';

const ROWS = 3_000;

/** Distinct and repeated values, lists of all lengths, and texts that take several pages. */
function invent(row: number): EntityParts {
  const number = String(row).padStart(8, '0');
  const activities = Array.from({ length: row % 4 }, (_, at) => ({ code: `${(row + at) % 90}`, main: at === 0 }));
  const previousNames = Array.from({ length: row % 3 }, (_, at) => ({ name: `Old ${row} ${at}`, until: '2000-02-29' }));
  const registry = {
    ...(row % 5 > 0 && { activities }),
    ...(row % 7 > 0 && { previousNames }),
    ...(row % 2 > 0 && { foundedAt: `19${10 + (row % 90)}-0${1 + (row % 9)}-1${row % 10}`, employees: { count: row } }),
    ...(row % 11 === 0 && { national: row }),
  };
  return {
    summary: makeSummary({
      id: `00000000-0000-5000-9000-0000${number}`,
      register: 'gb',
      registrationNumber: row % 13 === 0 ? null : number,
      canonicalName: `${row} LTD`,
      city: row % 2 === 0 ? 'London' : 'Leeds',
      registeredAt: '1999-12-31',
    }),
    registry: JSON.stringify(registry),
    sourceData: JSON.stringify({ row, text: `${row} `.repeat(200) }),
    registrations: '[]',
    related: '[]',
    partyCounts: 'null',
    provenance: JSON.stringify({
      register: 'gb',
      row,
      synthetic: row % 3 === 0,
      files: [{ file: 'a.csv', rows: [{ first: row, last: row === 100 ? row + 1 : row }] }],
    }),
  };
}

describe('Parquet with dictionaries that are given up and several pages', () => {
  const duck = useDuck();
  const folder = useFolder();
  const path = join(folder, 'part.parquet');
  before(async () => {
    const file = createPartFile(path);
    const writer = createParquetWriter(file, entityRows);
    for (let row = 0; row < ROWS; row++) await writer.add([invent(row)]);
    await writer.end();
    file.finish();
  });

  test('every value is read as it was written', async () => {
    const rows = await duck.all<Record<string, string | null>>(
      `SELECT *, to_json(activities) AS a, to_json(previousNames) AS p, to_json(provenance) AS o FROM '${path}' ORDER BY id`,
    );
    assert.equal(rows.length, ROWS);
    for (const [row, found] of rows.entries()) {
      const { summary, sourceData, registry: text, provenance } = invent(row);
      const registry = JSON.parse(text);
      const expected = { ...summary, updatedAt: found.updatedAt, sourceData };
      for (const [name, value] of Object.entries(expected)) assert.equal(found[name], value, `${row} ${name}`);
      assert.deepEqual(clean(found.a), registry.activities ?? null);
      assert.deepEqual(clean(found.p), registry.previousNames ?? null);
      assert.deepEqual(clean(found.o), JSON.parse(provenance));
      assert.equal(found.foundedAt, registry.foundedAt ?? null);
      assert.equal(found.registryOther, 'national' in registry ? `{"national":${row}}` : null);
    }
  });

  test('statistics have the bounds and the number of nulls, and filters find single values', async () => {
    const [names, numbers] = await duck.all(
      `SELECT stats_min_value AS least, stats_max_value AS most, stats_null_count AS nulls, encodings
        FROM parquet_metadata('${path}') WHERE path_in_schema IN ('canonicalName', 'registrationNumber') ORDER BY path_in_schema`,
    );
    assert.deepEqual(names, { least: '0 LTD', most: '999 LTD', nulls: '0', encodings: 'PLAIN' });
    assert.deepEqual(numbers, { least: '00000001', most: '00002999', nulls: '231', encodings: 'PLAIN' });
    for (const row of [1, 1_500, 2_999]) {
      const { id } = invent(row).summary;
      assert.equal((await duck.all(`SELECT 1 FROM '${path}' WHERE id = '${id}'`)).length, 1);
      const probe = `parquet_bloom_probe('${path}', 'id', '${id}')`;
      assert.deepEqual(await duck.all(`SELECT bloom_filter_excludes AS no FROM ${probe}`), [{ no: false }]);
    }
    const other = `parquet_bloom_probe('${path}', 'id', '00000000-0000-5000-9000-ffffffffffff')`;
    assert.deepEqual(await duck.all(`SELECT bloom_filter_excludes AS no FROM ${other}`), [{ no: true }]);
  });
});

/** Without fields that are null. */
function clean(json: string | null | undefined): unknown {
  const drop = (_key: string, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
  };
  return JSON.parse(json ?? 'null', drop);
}

test('texts are compared as their UTF-8 bytes', () => {
  const texts = ['', 'a', 'ab', 'b', 'é', '\ud7ff', '\uff21', '𠮷', '𠮷a', '𠮸'];
  for (const left of texts) {
    for (const right of texts) {
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareTexts(left, right)), expected, `${left} ${right}`);
    }
  }
});

function collect(write: (writer: ByteWriter) => unknown): Uint8Array {
  const writer = new ByteWriter();
  write(writer);
  return writer.getBytes();
}

/** Stretches of equal values and of different ones, of the same number of bits. */
const anyValues = fc.integer({ min: 0, max: 20 }).chain((bits) => {
  const value = fc.integer({ min: 0, max: 2 ** bits - 1 });
  const run = fc.tuple(value, fc.integer({ min: 1, max: 300 })).map(([each, count]) => Array(count).fill(each));
  const stretches = fc.array(fc.oneof(run, fc.array(value, { maxLength: 40 })), { maxLength: 12 });
  return stretches.map((parts): [number[], number] => [parts.flat(), bits]);
});

describe('encodings of Parquet: the same bytes as the library writes', () => {
  test('runs and packed values', () => {
    fc.assert(
      fc.property(anyValues, ([values, bits]) => {
        const expected = collect((writer) => writeRleBitPackedHybrid(writer, values, bits));
        assert.deepEqual(encodeRuns(values, bits), new Uint8Array(expected));
      }),
      { numRuns: 500 },
    );
  });

  test('the size of a Bloom filter', () => {
    for (const count of [1, 20, 26, 27, 100, 500, 900, 2_000]) {
      const filter = createBloomFilter();
      for (let at = 0; at < count; at++) filter.add(`text ${at}`);
      assert.equal(filter.finish(1 << 20)?.byteLength, optimalNumBytes(count, 0.01), `${count} texts`);
    }
  });
});

const MIB = 1 << 20;

function createLeaf(type: NonNullable<LeafOptions['element']['type']>, isPlain: boolean): Leaf {
  const element = { name: 'column', type };
  return new Leaf({
    element,
    path: ['column'],
    maxDefinition: 1,
    maxRepetition: 1,
    isPlain,
    maxFilterBytes: undefined,
  });
}

/** The number of rows of each page of the next row group. One page has no index. */
function countRows(leaf: Leaf, rows: number): number[] {
  const { offsetIndex } = leaf.write(new ByteWriter());
  const starts = offsetIndex?.page_locations.map(({ first_row_index }) => Number(first_row_index)) ?? [0];
  return starts.map((start, at) => (starts[at + 1] ?? rows) - start);
}

describe('pages of a Parquet column', () => {
  test('a page ends at the first row after 1 MiB, and the next one starts empty', () => {
    const text = createLeaf('BYTE_ARRAY', true);
    // With its length, 1 KiB per text. In the second row group, the same.
    for (const _ of [1, 2]) {
      for (let row = 0; row < 3_500; row++) text.add('x'.repeat(1_020), 0);
      assert.deepEqual(countRows(text, 3_500), [1_024, 1_024, 1_024, 428]);
    }
    for (const [type, size] of [
      ['INT32', 4],
      ['INT64', 8],
      ['DOUBLE', 8],
    ] as const) {
      const numbers = createLeaf(type, true);
      const perPage = MIB / size;
      for (let row = 0; row < 2 * perPage + 5; row++) numbers.add(row, 0);
      assert.deepEqual(countRows(numbers, 2 * perPage + 5), [perPage, perPage, 5], type);
    }
  });

  test('a row is never divided, and rows without a value do not end a page', () => {
    const leaf = createLeaf('BYTE_ARRAY', true);
    for (let item = 0; item < 3_000; item++) leaf.add('x'.repeat(1_020), item === 0 ? 0 : 1);
    leaf.skip(100);
    leaf.addNull(0, 0);
    for (let row = 0; row < 10; row++) leaf.add('y', 0);
    assert.deepEqual(countRows(leaf, 112), [102, 10]);
  });

  test('a column whose values repeat has a dictionary and one page', () => {
    const leaf = createLeaf('BYTE_ARRAY', false);
    for (let row = 0; row < 50_000; row++) leaf.add(`${row % 10}${'x'.repeat(100)}`, 0);
    assert.deepEqual(countRows(leaf, 50_000), [50_000]);
  });
});
