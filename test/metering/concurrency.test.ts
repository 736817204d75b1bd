import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import type { Decision } from '../../src/accounts/metering/decisions.ts';
import { createMeter, type Meter } from '../../src/accounts/metering/meter.ts';
import type { Caller } from '../../src/base/usage.ts';
import { testClock } from '../harness/clock.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { readLimits } from '../harness/limits.ts';
import { countdown, createCaller, granted, outcomes, takeMany, times, useMeterStore } from './meter-store.ts';

describeOn(engines, 'the meter under concurrent requests', (engine) => {
  const store = useMeterStore(engine);
  const { storedQuota, storedWindow, storedDays, newMeter } = store;

  describe('of many parallel requests, exactly as many pass as the limit allows', () => {
    const meters = () => store.dbs.map((each) => createMeter(each, testClock(), readLimits()));
    /** Sends requests in several concurrent batches through every handle. */
    const takeConcurrently = async (callerAt: (index: number) => Caller, count: number, charged = true) => {
      const all = meters();
      const pending: Promise<Decision>[] = [];
      for (let index = 0; index < count; index++) {
        pending.push((all[index % all.length] as Meter).take(callerAt(index), charged));
        if (index % 40 === 39) await new Promise(setImmediate);
      }
      return Promise.all(pending);
    };

    test('keys of an account share the quota and have separate rate windows', async () => {
      const accountId = randomUUID();
      const keys = times(3, () => createCaller({ accountId, perMinute: 40, perPeriod: 100 }));
      const decisions = await takeConcurrently((index) => keys[index % 3] as Caller, 240);
      // Each of three keys sends 80 requests: 40 pass its rate window, 120 in total, and 100 of them pass the quota.
      assert.deepEqual(outcomes(decisions), { granted: 100, quota_exceeded: 20, rate_limited: 120 });
      const remaining = granted(decisions).map(({ quota }) => quota.remaining);
      assert.deepEqual(
        remaining.sort((a, b) => b - a),
        countdown(100),
      );
      for (const key of keys) assert.equal((await storedWindow(key))?.used, 40);
      assert.equal(await storedQuota(keys[0] as Caller), 100);
      const days = await storedDays(keys[0] as Caller);
      assert.equal(
        days.reduce((sum, { requests }) => sum + requests, 0),
        100,
      );
    });

    for (const charged of [true, false]) {
      const what = charged ? 'charged' : 'free';
      test(`all keys of an account together pass at most what the plan's keys may, ${what}`, async () => {
        const accountId = randomUUID();
        const terms = { accountId, perMinute: 10, maxKeys: 2 };
        const keys = times(8, () => createCaller({ ...terms, kind: 'api_key' }));
        const links = times(2, () => createCaller({ ...terms, kind: 'reconcile_link' }));
        const callers = [...keys, ...links];
        const decisions = await takeConcurrently((index) => callers[index % 10] as Caller, 400, charged);
        const ofKeys = decisions.filter((_, index) => index % 10 < 8);
        assert.equal(granted(ofKeys).length, 20);
        assert.equal(granted(decisions).length, 40, 'links have a window of their own');
        const denied = ofKeys.filter(({ account }) => account != null);
        assert.equal(denied.length, 60, 'the windows of six keys');
        for (const { outcome, account, receipt } of denied) {
          assert.deepEqual([outcome, account?.limit, account?.remaining, receipt], ['rate_limited', 20, 0, null]);
          assert.equal(account?.resetsAt, Date.parse('2026-03-15T12:01:00Z'));
        }
        assert.equal(await storedQuota(keys[0] as Caller), charged ? 40 : 0);
        const [fresh] = await takeMany(meters()[0] as Meter, createCaller({ ...terms, kind: 'api_key' }), 1, charged);
        assert.equal(fresh?.outcome, 'rate_limited', 'a new key has no fresh minute');
      });
    }

    test('2,500 concurrent requests, more than fit into one transaction, with as many keys and with one', async () => {
      const { meter } = newMeter();
      const accountId = randomUUID();
      const many = times(2_500, () => createCaller({ accountId, perPeriod: 2_000 }));
      const decisions = await Promise.all(many.map((caller) => meter.take(caller, true)));
      assert.deepEqual(outcomes(decisions), { granted: 2_000, quota_exceeded: 500 });
      assert.deepEqual(
        granted(decisions).map(({ quota }) => quota.remaining),
        countdown(2_000),
      );
      const one = createCaller({ perMinute: 2_200, perPeriod: 2_100 });
      assert.deepEqual(outcomes(await takeMany(meter, one, 2_500)), {
        granted: 2_100,
        quota_exceeded: 100,
        rate_limited: 300,
      });
      assert.equal(await storedQuota(one), 2_100);
    });
  });
});
