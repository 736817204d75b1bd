import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteTable } from '../../src/search/memory/build/byte-table.ts';
import { createCells } from '../../src/search/memory/build/cells.ts';
import { copyChunk, skipValues } from '../../src/search/memory/build/chunk.ts';
import { countUp, GrowingOffsets } from '../../src/search/memory/build/growing-arrays.ts';
import { sortByKeys } from '../../src/search/memory/build/sort-by-keys.ts';
import { countUnits, readGaps, writeGap } from '../../src/search/memory/gaps.ts';
import { runs } from '../harness/depth.ts';

const numRuns = runs(200, 5_000);
/** Texts without zero bytes; many are equal or start alike. */
const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '€', '\n', ' '), maxLength: 12 }));

describe('parts of an index build', () => {
  test('items are sorted by all their keys, and equal ones keep their order and are reported', () => {
    const lists = fc.array(fc.array(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 0xffffffff }))));
    fc.assert(
      fc.property(lists, (keys) => {
        const items = countUp(keys.length);
        const equal = new Set<number>();
        const keyOf = (item: number, depth: number) => keys[item]?.[depth] ?? 0;
        const onEqual = (from: number, to: number) => {
          for (let at = from + 1; at < to; at++) equal.add(at);
        };
        sortByKeys(items, { keyOf, isLast: (key) => key === 0 }, onEqual);
        const compare = (a: number, b: number) => {
          const depth = Math.max(keys[a]?.length ?? 0, keys[b]?.length ?? 0);
          for (let at = 0; at < depth; at++) if (keyOf(a, at) !== keyOf(b, at)) return keyOf(a, at) - keyOf(b, at);
          return 0;
        };
        const expected = keys.map((_, item) => item).sort((a, b) => compare(a, b) || a - b);
        assert.deepEqual([...items], expected);
        const same = expected.flatMap((item, at) =>
          at > 0 && compare(expected[at - 1] as number, item) === 0 ? at : [],
        );
        assert.deepEqual(
          [...equal].sort((a, b) => a - b),
          same,
        );
      }),
      { numRuns },
    );
  });

  test('long ranges, which the native sort and the radix sort handle, are sorted too', () => {
    const keys = Uint32Array.from({ length: 5_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> (at % 3 === 0 ? 24 : 0));
    const expected = [...keys.keys()].sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
    for (const maxPacked of [100, 2 ** 20]) {
      const items = countUp(keys.length);
      sortByKeys(items, { keyOf: (item) => keys[item] as number, isLast: () => true }, undefined, maxPacked);
      assert.deepEqual([...items], expected);
    }
  });

  test('lists of documents are the same after they were written as gaps', () => {
    const gap = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2 ** 15 - 2, max: 2 ** 15 + 2 }));
    const wide = fc.oneof(fc.integer({ min: 2 ** 30 - 2, max: 2 ** 30 + 2 }), fc.integer({ min: 1, max: 2 ** 28 }));
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 40 }), fc.array(wide, { maxLength: 3 }), (short, long) => {
        const gaps = [...short, ...long, ...short];
        const units = new Uint16Array(gaps.reduce((sum, each) => sum + countUnits(each), 0) + 2);
        let end = 1;
        for (const each of gaps) end = writeGap(units, end, each);
        assert.equal(end, units.length - 1);
        const docs = new Uint32Array(end);
        const expected = gaps.map((_, at) => gaps.slice(0, at + 1).reduce((sum, each) => sum + each, -1));
        assert.equal(readGaps(units, 1, end, docs, 0), gaps.length);
        assert.deepEqual([...docs.subarray(0, gaps.length)], expected);
      }),
      { numRuns },
    );
  });

  test('a table numbers distinct texts by their first occurrence and finds where each ends', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(0, 0x0a, 0x20), (list, separator) => {
        const table = new ByteTable();
        const seen = new Map<string, number>();
        for (const text of list) {
          const first = separator === 0 ? text : (text.split(String.fromCharCode(separator))[0] as string);
          const chunk = copyChunk(Buffer.from(`x${text}\0`));
          if (!seen.has(first)) seen.set(first, seen.size);
          assert.equal(table.add(chunk, 1, separator), seen.get(first));
          assert.equal(table.ended, 1 + Buffer.byteLength(first));
        }
        assert.deepEqual([...table.texts()], [...seen.keys()]);
      }),
      { numRuns },
    );
  });

  test('a table holds more texts than it had room for', () => {
    const table = new ByteTable();
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 20_000; at++) assert.equal(table.add(copyChunk(Buffer.from(`${at}\0`)), 0), at);
    }
    assert.equal(table.count, 20_000);
  });

  test('values are skipped', () => {
    fc.assert(
      fc.property(texts, fc.nat(), (list, seed) => {
        const bytes = Buffer.from(list.map((text) => `${text}\0`).join(''));
        const count = list.length === 0 ? 0 : 1 + (seed % list.length);
        if (count === 0) return;
        const skipped = Buffer.byteLength(list.slice(0, count).join('')) + count;
        assert.equal(skipValues(copyChunk(bytes).view, 0, count), skipped);
      }),
      { numRuns },
    );
  });

  test('used cells of a table are numbered in order, also of one too large for an array', () => {
    const cells = fc.array(fc.oneof(fc.nat({ max: 50 }), fc.maxSafeNat()), { size: 'large' });
    fc.assert(
      fc.property(cells, (used) => {
        const sorted = [...new Set(used)].sort((a, b) => a - b);
        const small = sorted.filter((cell) => cell <= 50);
        for (const [table, expected] of [
          [createCells(Number.MAX_SAFE_INTEGER), sorted],
          [createCells(51), small],
          [createCells(51, 50), small],
        ] as const) {
          for (const cell of used) if (expected.includes(cell)) table.add(cell);
          assert.deepEqual([...table.number()], expected);
          assert.deepEqual(
            expected.map((cell) => table.of(cell)),
            [...expected.keys()],
          );
        }
      }),
      { numRuns: runs(50, 1_000) },
    );
  });

  test('a hash table of cells grows', () => {
    const table = createCells(Number.MAX_SAFE_INTEGER);
    const cells = Array.from({ length: 100_000 }, (_, at) => at * 2 ** 33 + (at % 7));
    for (const cell of cells) table.add(cell);
    assert.deepEqual([...table.number()], cells);
    assert.equal(table.of(cells[77_777] as number), 77_777);
  });

  test('positions above 2^32 are kept exactly', () => {
    const offsets = new GrowingOffsets();
    const positions = [0, 5, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 45 + 3];
    for (const position of positions) offsets.push(position);
    assert.deepEqual([...offsets.values.subarray(0, offsets.length)], positions);
  });
});
