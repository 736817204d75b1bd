import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { ResultCache } from '../../src/search/memory/answer/engine.ts';
import { ByteTable } from '../../src/search/memory/build/byte-table.ts';
import { copyChunk } from '../../src/search/memory/build/chunk.ts';
import { countUp, GrowingNumbers } from '../../src/search/memory/build/growing-arrays.ts';
import { NumberTable } from '../../src/search/memory/build/number-table.ts';
import { sortByKeys } from '../../src/search/memory/build/sort-by-keys.ts';
import { createCollector } from '../../src/search/memory/collector.ts';
import { countUnits, readGaps, writeGap } from '../../src/search/memory/encodings.ts';
import { planCompaction, planUpdate } from '../../src/search/memory/update/update.ts';
import { runs } from '../harness/depth.ts';

const numRuns = runs(200, 2_000);

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

  test('long ranges, which the native sort handles, are sorted too', () => {
    const keys = Uint32Array.from({ length: 5_000 }, (_, at) => Math.imul(at, 0x9e3779b1) >>> (at % 3 === 0 ? 24 : 0));
    const expected = [...keys.keys()].sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b);
    const items = countUp(keys.length);
    sortByKeys(items, { keyOf: (item) => keys[item] as number, isLast: () => true });
    assert.deepEqual([...items], expected);
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

  test('a table holds more texts than it had room for', () => {
    const table = new ByteTable();
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 20_000; at++) assert.equal(table.add(copyChunk(Buffer.from(`${at}\0`)), 0), at);
    }
    assert.equal(table.count, 20_000);
  });

  test('distinct values are numbered as they come, then in order', () => {
    const values = fc.array(fc.oneof(fc.nat({ max: 50 }), fc.maxSafeNat()), { size: 'large' });
    fc.assert(
      fc.property(values, (used) => {
        const distinct = [...new Set(used)];
        const table = new NumberTable();
        for (const value of used) assert.equal(table.add(value), distinct.indexOf(value));
        assert.deepEqual([...table.values()], distinct);
        const sorted = distinct.toSorted((a, b) => a - b);
        assert.deepEqual([...table.sort()], sorted);
        for (const [rank, value] of sorted.entries()) assert.equal(table.add(value), rank);
      }),
      { numRuns: runs(50, 500) },
    );
  });

  test('a hash table of numbers grows', () => {
    const table = new NumberTable();
    const values = Array.from({ length: 100_000 }, (_, at) => at * 2 ** 33 + (at % 7));
    for (const value of values.toReversed()) table.add(value);
    assert.deepEqual([...table.sort()], values);
    assert.equal(table.add(values[77_777] as number), 77_777);
  });

  test('a list of numbers grows, and refuses to have more than 2^32 of them', () => {
    const numbers = new GrowingNumbers();
    for (let at = 0; at < 100_000; at++) numbers.push(at);
    assert.deepEqual(numbers.values.subarray(0, numbers.length), countUp(100_000));
    numbers.length = 2 ** 32 - 2;
    assert.throws(() => numbers.reserve(2), /more than 4 billion/);
  });
});

const sizes = fc.array(fc.integer({ min: 1, max: 300_000 }), { maxLength: 7 });
const added = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 60_000 }));
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

describe('which segments are merged', () => {
  test('by an update: no more documents than it adds, or 4,096', () => {
    fc.assert(
      fc.property(sizes, added, (before, count) => {
        const kept = planUpdate(before, count);
        assert.ok(sum(before.slice(kept)) <= Math.max(count, 4_096));
        // One more would be too many.
        if (kept > 0) assert.ok(sum(before.slice(kept - 1)) > Math.max(count, 4_096));
      }),
    );
  });

  test('afterwards: until each segment is much larger than all after it, and nothing is left to merge', () => {
    fc.assert(
      fc.property(sizes, (before) => {
        const kept = planCompaction(before);
        const merged = kept === before.length ? before : [...before.slice(0, kept), sum(before.slice(kept))];
        for (const [at, size] of merged.entries()) {
          const after = sum(merged.slice(at + 1));
          assert.ok(after < 4_096 || size > 8 * after, `${merged}`);
        }
        assert.equal(planCompaction(merged), merged.length);
      }),
    );
  });

  test('in the long run: few segments, and each document is built a few times', () => {
    for (const count of [10, 1_000, 50_000]) {
      let segments: number[] = [];
      let built = 0;
      let most = 0;
      const merge = (kept: number, more: number) => {
        built += sum(segments.slice(kept)) + more;
        segments = [...segments.slice(0, kept), sum(segments.slice(kept)) + more];
      };
      const total = 500_000;
      for (let changed = 0; changed < total; changed += count) {
        merge(planUpdate(segments, count), count);
        most = Math.max(most, segments.length);
        const kept = planCompaction(segments);
        if (kept < segments.length) merge(kept, 0);
        assert.ok(segments.length <= 4, `${segments}`);
      }
      assert.ok(most <= 5);
      // With 10 changes per update, the last 4,096 documents are built again and again.
      assert.ok(built < total * (count === 10 ? 250 : 16), `${count}: ${built / total}`);
    }
  });

  test('by an update, too, if nothing has been merged for long', () => {
    const many = Array.from({ length: 8 }, () => 50_000);
    assert.equal(planUpdate(many, 50_000), 0);
  });
});

const makeList = (length: number) => ({ size: length, list: new Uint32Array(length) });
const bytesOf = ({ list }: ReturnType<typeof makeList>) => list.byteLength;
const kept = (cache: ResultCache<ReturnType<typeof makeList>>, keys: string) =>
  [...keys].filter((key) => cache.get(key) !== undefined).join('');

test('the cache stays within its limit and drops the least recently used first', () => {
  // Three lists of 1,000 documents (4,000 bytes and the overhead of an entry) fit, four do not.
  const cache = new ResultCache(14_000, bytesOf);
  for (const key of 'abc') cache.offer(key, () => makeList(1_000));
  assert.equal(kept(cache, 'bca'), 'bca');
  cache.offer('d', () => makeList(1_000));
  assert.equal(kept(cache, 'abcd'), 'acd');
});

test('a result larger than the limit is not cached and drops nothing', () => {
  const cache = new ResultCache(14_000, bytesOf);
  cache.offer('a', () => makeList(1_000));
  cache.offer('b', () => makeList(4_000));
  assert.equal(kept(cache, 'ab'), 'a');
});

test('a cache of size zero does not make the copy', () => {
  const cache = new ResultCache(0, bytesOf);
  cache.offer('a', () => assert.fail('copied'));
  assert.equal(kept(cache, 'a'), '');
});

test('what a value takes later counts, and may drop it or others', () => {
  const cache = new ResultCache(14_000, bytesOf);
  const lists = Object.fromEntries([...'abc'].map((key) => [key, makeList(1_000)]));
  for (const [key, list] of Object.entries(lists)) cache.offer(key, () => list);
  const grow = (key: string, bytes: number) => cache.grow(key, lists[key] ?? assert.fail(), bytes);
  grow('c', 1_000);
  assert.equal(kept(cache, 'abc'), 'abc');
  grow('c', 1_000);
  assert.equal(kept(cache, 'abc'), 'bc');
  // Values that were dropped or replaced do not count.
  grow('a', 10_000);
  cache.offer('a', () => makeList(10));
  grow('a', 10_000);
  assert.equal(kept(cache, 'abc'), 'abc');
  // What a dropped value had taken is free again.
  grow('c', 14_000);
  assert.equal(kept(cache, 'abc'), '');
  for (const key of 'def') cache.offer(key, () => makeList(1_000));
  assert.equal(kept(cache, 'def'), 'def');
});

const MEGABYTE = 1024 * 1024;

describe('collector of dropped indexes', () => {
  test('allocates one piece per turn of the event loop, about as much as was dropped', (t) => {
    const { collect, countAfter } = countPieces(t);
    collect(200 * MEGABYTE);
    assert.deepEqual([0, 20, 20, 20, 20, 20, 1_000].map(countAfter), [0, 1, 2, 3, 4, 5, 5]);
  });

  test('adds up small amounts', (t) => {
    const { collect, countAfter } = countPieces(t);
    for (let times = 0; times < 3; times++) collect(20 * MEGABYTE);
    assert.equal(countAfter(1_000), 0);
    collect(20 * MEGABYTE);
    assert.equal(countAfter(1_000), 3);
  });

  test('a drop during a collection extends it, and a large drop is bounded', (t) => {
    const { collect, countAfter } = countPieces(t);
    collect(100 * MEGABYTE);
    assert.equal(countAfter(20), 1);
    collect(128 * MEGABYTE);
    assert.equal(countAfter(1_000), 4);
    collect(1e12);
    assert.equal(countAfter(10_000), 36);
  });
});

function countPieces(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let pieces = 0;
  const collect = createCollector({ allocate: () => pieces++ });
  const countAfter = (milliseconds: number) => {
    // Step by step: a timer that another one starts is due only after its own pause.
    for (let step = 0; step < milliseconds; step += 20) t.mock.timers.tick(20);
    return pieces;
  };
  return { collect, countAfter };
}
