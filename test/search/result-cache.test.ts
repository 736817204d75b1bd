import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResultCache } from '../../src/search/memory/answer/result-cache.ts';

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
