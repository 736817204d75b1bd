import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ByteWriter } from 'hyparquet-writer';
import { Leaf } from '../../src/exports/parquet/leaf.ts';
import type { LeafOptions } from '../../src/exports/parquet/pages.ts';

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
