import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHeartbeat, createStuckCheck, STUCK_SECONDS } from '../../src/server/watchdog.ts';

test('a thread counts as stuck after ten checks in a row without a beat, and not before its first beat', () => {
  const heartbeat = createHeartbeat();
  const isStuck = createStuckCheck(heartbeat);
  const check = (times: number) => Array.from({ length: times }, isStuck);
  const beat = () => Atomics.add(heartbeat, 0, 1);
  assert.deepEqual(new Set(check(3 * STUCK_SECONDS)), new Set([false]), 'it is still starting');
  beat();
  assert.deepEqual(new Set(check(STUCK_SECONDS)), new Set([false]));
  beat();
  assert.deepEqual(check(1 + STUCK_SECONDS), [...Array.from({ length: STUCK_SECONDS }, () => false), true]);
});
