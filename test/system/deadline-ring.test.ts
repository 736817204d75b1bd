import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import fc from 'fast-check';
import type * as deadline from '../../src/system/deadline.ts';
import { runs } from '../harness/depth.ts';

/** Loaded once more: waits of other files in this process would keep the timer running while it is replaced. */
const own = new URL('../../src/system/deadline.ts?own', import.meta.url).href;
const { beginWait, endWait }: typeof deadline = await import(own);

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
          endWait(found.waiting);
          if (found.state === 'waiting') found.state = 'ended';
        };
        const begin = (left: number, { ends, begins }: { ends: readonly number[]; begins: boolean }) => {
          const modelled: Modelled = { waiting: undefined, deadline: now + left, begunAt: now, state: 'waiting' };
          modelled.waiting = beginWait(modelled.deadline, () => {
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
      { numRuns: runs(500, 20_000) },
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
    beginWait(now, () => {
      throw new Error('broken');
    });
    beginWait(now, () => expired.push(2));
    const third = beginWait(now + 1_000, () => expired.push(3));
    assert.throws(pass, /broken/);
    pass();
    assert.deepEqual(expired, [2]);
    endWait(third);
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
