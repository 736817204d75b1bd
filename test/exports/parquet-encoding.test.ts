import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteWriter } from 'hyparquet-writer';
import { optimalNumBytes } from 'hyparquet-writer/src/bloom.js';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { createBloomFilter } from '../../src/exports/parquet/bloom.ts';
import { encodeRuns, writeThrift } from '../../src/exports/parquet/encoding.ts';

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

  test('headers of pages', () => {
    const number = fc.integer({ min: 0, max: 2 ** 30 });
    fc.assert(
      fc.property(fc.tuple(number, number, number, number, number, number, number), (numbers) => {
        const [raw, packed, values, nulls, rows, definitions, repetitions] = numbers;
        const expected = collect((writer) =>
          writePageHeader(writer, {
            type: 'DATA_PAGE_V2',
            uncompressed_page_size: raw,
            compressed_page_size: packed,
            data_page_header_v2: {
              num_values: values,
              num_nulls: nulls,
              num_rows: rows,
              encoding: 'RLE_DICTIONARY',
              definition_levels_byte_length: definitions,
              repetition_levels_byte_length: repetitions,
              is_compressed: true,
            },
          }),
        );
        const header = { 1: values, 2: nulls, 3: rows, 4: 8, 5: definitions, 6: repetitions };
        assert.deepEqual(
          collect((writer) => writeThrift(writer, { 1: 3, 2: raw, 3: packed, 8: header })),
          expected,
        );
      }),
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
