import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseLookupSize, listPlaceholders, MAX_LOOKUP_SIZE, padList } from '../../src/core/pad-list.ts';

test('a lookup uses the smallest of four list lengths', () => {
  const counts = [1, 2, 4, 5, 16, 17, MAX_LOOKUP_SIZE];
  assert.deepEqual(counts.map(chooseLookupSize), [1, 4, 4, 16, 16, 64, 64]);
});

test('a list is padded with its first value', () => {
  assert.deepEqual(padList(['a', 'b'], 4), ['a', 'b', 'a', 'a']);
  assert.deepEqual(padList([], 1), ['']);
});

test('placeholders count from $1', () => {
  assert.equal(listPlaceholders(3), '$1, $2, $3');
});
