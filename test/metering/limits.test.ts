import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { engines } from '../harness/databases.ts';
import { createCaller, granted, iso, outcomes, takeMany, times, useMeterStore } from './meter-store.ts';

for (const engine of engines) {
  describe(`limits of the meter on ${engine}`, () => {
    const store = useMeterStore(engine);
    const { storedQuota, storedWindow, newMeter } = store;

    describe('change of plan', () => {
      test('a smaller plan with more used than it allows grants nothing, shows 0 and counts nothing', async () => {
        const { meter } = newMeter();
        const before = createCaller({ perMinute: 50, perPeriod: 100 });
        await takeMany(meter, before, 20);
        const smaller = { ...before, plan: { ...before.plan, requestsPerMinute: 50, monthlyRequests: 10 } };
        for (const { outcome, quota, receipt } of await takeMany(meter, smaller, 3)) {
          assert.deepEqual([outcome, quota.limit, quota.remaining, receipt], [
            'quota_exceeded',
            10,
            0,
            null,
          ] satisfies unknown[]);
        }
        const usage = await meter.readUsage(smaller);
        assert.deepEqual([usage.used, usage.limit, usage.remaining], [20, 10, 0]);
        const slower = { ...before, plan: { ...before.plan, requestsPerMinute: 10 } };
        const [denied] = await takeMany(meter, slower, 1);
        assert.deepEqual([denied?.outcome, denied?.window.limit, denied?.window.remaining], [
          'rate_limited',
          10,
          0,
        ] satisfies unknown[]);
        assert.equal(await storedQuota(before), 20);
        assert.equal((await storedWindow(before))?.used, 23);
        const [back] = await takeMany(meter, before, 1);
        assert.deepEqual([back?.outcome, back?.quota.remaining, back?.window.remaining], ['granted', 79, 26]);
      });

      test('a larger plan continues from the current usage', async () => {
        const { meter } = newMeter();
        const small = createCaller({ perMinute: 5, perPeriod: 5 });
        assert.deepEqual(outcomes(await takeMany(meter, small, 7)), { granted: 5, rate_limited: 2 });
        const larger = { ...small, plan: { ...small.plan, requestsPerMinute: 9, monthlyRequests: 8 } };
        const decisions = await takeMany(meter, larger, 5);
        assert.deepEqual(
          decisions.map(({ outcome, window, quota }) => [outcome, window.remaining, quota.remaining]),
          [
            ['granted', 3, 2],
            ['granted', 2, 1],
            ['granted', 1, 0],
            ['quota_exceeded', 0, 0],
            ['rate_limited', 0, 0],
          ],
        );
      });

      test('both plans in one batch: the latest plan decides how many pass, and Remaining is never negative', async () => {
        for (const [first, last] of [
          [10, 3],
          [3, 10],
        ] as const) {
          const { meter } = newMeter();
          const caller = createCaller({ perPeriod: first });
          const changed = { ...caller, plan: { ...caller.plan, monthlyRequests: last } };
          const decisions = await Promise.all(times(12, (index) => meter.take(index < 6 ? caller : changed, true)));
          assert.equal(granted(decisions).length, last);
          assert.ok(decisions.every(({ quota }) => quota.remaining >= 0 && quota.remaining < quota.limit + 1));
          assert.equal(await storedQuota(caller), last);

          const key = createCaller({ perMinute: first });
          const changedKey = { ...key, plan: { ...key.plan, requestsPerMinute: last } };
          const requests = await Promise.all(times(12, (index) => meter.take(index < 6 ? key : changedKey, true)));
          assert.equal(granted(requests).length, last);
          assert.ok(requests.every(({ window }) => window.remaining >= 0 && window.remaining <= window.limit));
          assert.equal((await storedWindow(key))?.used, last);
        }
      });

      test('a paid period starts at 0, and the month before it does not change', async () => {
        const { meter } = newMeter('2026-03-15T12:00:00Z');
        const free = createCaller({ perPeriod: 5 });
        await takeMany(meter, free, 5);
        const paid = { ...free, periodAnchor: Date.parse('2026-03-15T11:59:00Z'), periodEnd: null };
        const [decision] = await takeMany(meter, paid, 1);
        assert.deepEqual([decision?.outcome, decision?.quota.remaining, iso(decision?.quota.resetsAt ?? 0)], [
          'granted',
          4,
          '2026-04-15T11:59:00.000Z',
        ] satisfies unknown[]);
        assert.deepEqual((await takeMany(meter, free, 1))[0]?.outcome, 'quota_exceeded');
      });
    });

    describe('the rate window', () => {
      test('changes with the clock minute, exactly at :00.000', async () => {
        const { meter, clock } = newMeter('2026-03-15T12:00:59.998Z');
        const caller = createCaller({ perMinute: 2 });
        assert.deepEqual(outcomes(await takeMany(meter, caller, 3)), { granted: 2, rate_limited: 1 });
        clock.advance(1);
        const [late] = await takeMany(meter, caller, 1);
        assert.deepEqual([late?.outcome, iso(late?.window.resetsAt ?? 0)], [
          'rate_limited',
          '2026-03-15T12:01:00.000Z',
        ] satisfies unknown[]);
        clock.advance(1);
        const [fresh] = await takeMany(meter, caller, 1);
        assert.deepEqual([fresh?.outcome, fresh?.window.remaining, iso(fresh?.window.resetsAt ?? 0)], [
          'granted',
          1,
          '2026-03-15T12:02:00.000Z',
        ] satisfies unknown[]);
      });

      test('a machine whose clock is less than two minutes behind counts in the current window', async () => {
        const [ahead, behind] = [newMeter('2026-03-15T12:02:00.000Z'), newMeter('2026-03-15T12:01:59.999Z')];
        for (const time of ['2026-03-15T12:01:59.999Z', '2026-03-15T12:00:00.001Z']) {
          const caller = createCaller({ perMinute: 3 });
          behind.clock.set(time);
          await takeMany(ahead.meter, caller, 2);
          const decisions = await takeMany(behind.meter, caller, 2);
          assert.deepEqual(
            decisions.map(({ outcome, window }) => [outcome, window.remaining, iso(window.resetsAt)]),
            [
              ['granted', 0, '2026-03-15T12:03:00.000Z'],
              ['rate_limited', 0, '2026-03-15T12:03:00.000Z'],
            ],
            time,
          );
          assert.deepEqual(outcomes(await takeMany(ahead.meter, caller, 1)), { rate_limited: 1 });
          assert.equal((await storedWindow(caller))?.minute, Date.parse('2026-03-15T12:02:00Z'));
        }
      });

      test('two machines at the turn of a minute do not grant a window twice', async () => {
        const caller = createCaller({ perMinute: 10 });
        const [ahead, behind] = [newMeter('2026-03-15T12:01:00.001Z'), newMeter('2026-03-15T12:00:59.999Z')];
        const decisions = await Promise.all(
          times(30, (index) => (index % 2 === 0 ? ahead : behind).meter.take(caller, true)),
        );
        const passed = granted(decisions);
        const later = passed.filter(({ window }) => window.resetsAt === Date.parse('2026-03-15T12:02:00Z'));
        assert.ok(later.length <= 10 && passed.length - later.length <= 10);
        assert.equal((await storedWindow(caller))?.used, 10);
      });

      test('a clock that is set back by more starts a new window, so that keys are not blocked until it catches up', async () => {
        const { meter, clock } = newMeter('2026-03-15T12:00:00.000Z');
        const caller = createCaller({ perMinute: 2 });
        await takeMany(meter, caller, 2);
        clock.set('2026-03-15T11:57:59.999Z');
        const [decision] = await takeMany(meter, caller, 1);
        assert.deepEqual([decision?.outcome, decision?.window.remaining, iso(decision?.window.resetsAt ?? 0)], [
          'granted',
          1,
          '2026-03-15T11:58:00.000Z',
        ] satisfies unknown[]);
        clock.set('2020-01-01T00:00:00Z');
        assert.deepEqual(outcomes(await takeMany(meter, caller, 3)), { granted: 2, rate_limited: 1 });
      });

      test('only the current window is stored: a key has one row', async () => {
        const { meter, clock } = newMeter();
        const caller = createCaller();
        for (let minute = 0; minute < 5; minute++, clock.advance(60_000)) await takeMany(meter, caller, 2);
        const rows = await store.db.all('SELECT 1 AS one FROM rate_windows WHERE key_id = $1', [caller.keyId]);
        assert.equal(rows.length, 1);
      });
    });
  });
}
