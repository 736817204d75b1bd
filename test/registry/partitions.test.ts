import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Partitions } from '../../src/import/reading/partitions.ts';

test('partitions keep the lines of a key together and in order, in memory and on disk', () => {
  const partitions = new Partitions();
  const filling = 'ž'.repeat(2_000);
  for (let round = 0; round < 20; round++) {
    for (let key = 0; key < 1_000; key++) partitions.add(`${key}`, `${key} ${round} ${filling}`);
  }
  const rounds = new Map<string, string[]>();
  let parts = 0;
  for (const text of partitions.read()) {
    const keys = new Set<string>();
    for (const line of text.split('\n').slice(0, -1)) {
      const [key = '', round = '', rest] = line.split(' ');
      assert.equal(rest, filling);
      keys.add(key);
      rounds.set(key, [...(rounds.get(key) ?? []), round]);
    }
    for (const key of keys) assert.equal(rounds.get(key)?.length, 20, 'all lines of a key are in one partition');
    if (keys.size > 0) parts++;
  }
  partitions.close();
  assert.equal(rounds.size, 1_000);
  for (const seen of rounds.values())
    assert.deepEqual(
      seen,
      Array.from({ length: 20 }, (_, round) => `${round}`),
    );
  assert.ok(parts > 200, `${parts} parts in use`);
});
