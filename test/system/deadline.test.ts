import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import type * as deadline from '../../src/base/system/deadline.ts';
import { beginWait, endWait, within } from '../../src/base/system/deadline.ts';
import { runs } from '../harness/depth.ts';

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

/** Loaded once more: waits of other files in this process would keep the timer running while it is replaced. */
const own = new URL('../../src/base/system/deadline.ts?own', import.meta.url).href;
const ring: typeof deadline = await import(own);

/** What a wait does when it expires: it may end others, end itself again, or begin a new one. */
const reaction = fc.record({ ends: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }), begins: fc.boolean() });

const step = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), left: fc.integer({ min: -50, max: 300 }), reaction }),
  fc.record({ kind: fc.constant('end' as const), which: fc.nat({ max: 30 }) }),
  fc.record({ kind: fc.constant('pass' as const), ticks: fc.integer({ min: 1, max: 20 }) }),
);

const CHECK_MS = 50;
const TICK_MS = 10;

/** A wait, and what is known about it. */
interface Modelled {
  waiting: deadline.Waiting | undefined;
  readonly deadline: number;
  readonly begunAt: number;
  state: 'waiting' | 'ended' | 'expired';
}

test('waits that begin, end and expire in any order, also while others expire', () => {
  let now = performance.now();
  const clock = mock.method(performance, 'now', () => now);
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const all: Modelled[] = [];
        const endOne = (index: number) => {
          const found = all[index];
          if (found?.waiting === undefined) return;
          ring.endWait(found.waiting);
          if (found.state === 'waiting') found.state = 'ended';
        };
        const begin = (left: number, { ends, begins }: { ends: readonly number[]; begins: boolean }) => {
          const modelled: Modelled = { waiting: undefined, deadline: now + left, begunAt: now, state: 'waiting' };
          modelled.waiting = ring.beginWait(modelled.deadline, () => {
            assert.equal(modelled.state, 'waiting', 'expired after its end, or twice');
            assert.ok(modelled.deadline <= now, 'expired before its deadline');
            modelled.state = 'expired';
            for (const index of ends) endOne(index);
            if (begins) begin(100, { ends: [], begins: false });
          });
          all.push(modelled);
        };
        const pass = (ticks: number) => {
          for (let tick = 0; tick < ticks; tick++) {
            now += TICK_MS;
            mock.timers.tick(TICK_MS);
            const isLate = ({ state, deadline, begunAt }: Modelled) =>
              state === 'waiting' && Math.max(deadline, begunAt) + CHECK_MS + TICK_MS <= now;
            const late = all.filter(isLate);
            assert.deepEqual(late, [], 'a deadline was not noticed');
          }
        };
        for (const each of steps) {
          if (each.kind === 'begin') begin(each.left, each.reaction);
          else if (each.kind === 'end') endOne(each.which);
          else pass(each.ticks);
        }
        pass(60);
        assert.ok(all.every(({ state }) => state !== 'waiting'));
      }),
      { numRuns: runs(300, 3_000) },
    );
  } finally {
    mock.timers.reset();
    clock.mock.restore();
  }
});

test('the timer ends with the last wait, and one that throws does not keep the others from expiring', () => {
  let now = performance.now();
  const clock = mock.method(performance, 'now', () => now);
  mock.timers.enable({ apis: ['setTimeout'] });
  const pass = () => {
    now += CHECK_MS;
    mock.timers.tick(CHECK_MS);
  };
  try {
    const expired: number[] = [];
    ring.beginWait(now, () => {
      throw new Error('broken');
    });
    ring.beginWait(now, () => expired.push(2));
    const third = ring.beginWait(now + 1_000, () => expired.push(3));
    assert.throws(pass, /broken/);
    pass();
    assert.deepEqual(expired, [2]);
    ring.endWait(third);
    pass();
    const set = mock.method(globalThis, 'setTimeout', () => assert.fail('a timer without a wait'));
    pass();
    pass();
    set.mock.restore();
  } finally {
    mock.timers.reset();
    clock.mock.restore();
  }
});
