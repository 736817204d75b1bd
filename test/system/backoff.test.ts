import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBackoff } from '../../src/system/backoff.ts';

test('pauses double up to the maximum, and start again after a stable time', () => {
  const pauseAfter = createBackoff({ stableMs: 1_000, minMs: 100, maxMs: 500 });
  assert.deepEqual([0, 10, 1_000, 10, 10].map(pauseAfter), [100, 200, 400, 500, 500]);
  assert.deepEqual([1_001, 10, 10].map(pauseAfter), [0, 100, 200]);
});
