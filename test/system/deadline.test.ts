import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginWait, endWait, within } from '../../src/system/deadline.ts';

const never = new Promise<never>(() => undefined);
const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

test('a result or an error before the deadline is passed on', async () => {
  const deadline = performance.now() + 60_000;
  assert.equal(await within(deadline, Promise.resolve(1), 'reading'), 1);
  await assert.rejects(within(deadline, Promise.reject(new Error('broken')), 'reading'), /broken/);
});

test('after the deadline the wait fails with service_unavailable, even if the work never ends', async () => {
  await assert.rejects(within(performance.now() + 20, never, 'reading'), { code: 'service_unavailable' });
  await assert.rejects(within(0, never, 'reading'), { code: 'service_unavailable' });
});

test('work that fails after the deadline is ignored', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  await assert.rejects(within(0, promise, 'reading'), { code: 'service_unavailable' });
  reject(new Error('late'));
  await new Promise(setImmediate);
});

test('all waiting steps share one timer', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const expired: number[] = [];
  const waits = Array.from({ length: 1_000 }, () => within(performance.now() + 60_000, promise, 'reading'));
  const early = beginWait(performance.now() + 60_000, () => assert.fail('this wait has ended'));
  const before = countTimers();
  for (const index of [2, 1]) beginWait(0, () => expired.push(index));
  assert.equal(countTimers(), before);
  endWait(early);
  await assert.rejects(within(0, never, 'reading'));
  assert.deepEqual(expired, [2, 1]);
  resolve();
  await Promise.all(waits);
});
