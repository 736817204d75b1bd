import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fail } from '../../src/core/errors.ts';
import type { Db } from '../../src/db/db.ts';
import type { Decision } from '../../src/metering/decisions.ts';
import { createMeter } from '../../src/metering/meter.ts';
import { engines } from '../harness/databases.ts';
import { readLimits } from '../harness/limits.ts';
import { until } from '../harness/until.ts';
import {
  aroundTransactions,
  createCaller,
  outcomes,
  receiptOf,
  takeMany,
  times,
  useMeterStore,
} from './meter-store.ts';

for (const engine of engines) {
  describe(`charges and refunds on ${engine}`, () => {
    const store = useMeterStore(engine);
    const { storedQuotas, storedQuota, storedWindow, storedDays, newMeter } = store;

    describe('charges', () => {
      test('a decision contains limit, remaining and reset of both, and what was charged', async () => {
        const { meter } = newMeter('2026-03-15T12:00:17.250Z');
        const caller = createCaller({ perMinute: 60, perPeriod: 1_000 });
        assert.deepEqual(await meter.take(caller, true), {
          outcome: 'granted',
          window: { limit: 60, remaining: 59, resetsAt: Date.parse('2026-03-15T12:01:00Z') },
          quota: {
            limit: 1_000,
            remaining: 999,
            resetsAt: Date.parse('2026-04-01T00:00:00Z'),
            startsAt: Date.parse('2026-03-01T00:00:00Z'),
          },
          account: null,
          receipt: {
            accountId: caller.accountId,
            keyId: caller.keyId,
            periodStart: Date.parse('2026-03-01T00:00:00Z'),
            day: '2026-03-15',
          },
        });
      });

      test('an uncharged request counts in the rate window, costs no quota, and its decision shows both', async () => {
        const { meter } = newMeter();
        const caller = createCaller({ perMinute: 5, perPeriod: 10 });
        await takeMany(meter, caller, 2);
        const [first] = await takeMany(meter, caller, 1, false);
        assert.deepEqual(
          [first?.outcome, first?.window.remaining, first?.quota.remaining, first?.receipt],
          ['granted', 2, 8, null],
        );
        assert.deepEqual(outcomes(await takeMany(meter, caller, 4, false)), { granted: 2, rate_limited: 2 });
        assert.equal(await storedQuota(caller), 2);
        assert.equal((await storedDays(caller))[0]?.requests, 2);
      });

      test('an uncharged request passes with an exhausted quota, and its decision shows that', async () => {
        const { meter } = newMeter();
        const caller = createCaller({ perPeriod: 1 });
        await takeMany(meter, caller, 1);
        const [decision] = await takeMany(meter, caller, 1, false);
        assert.deepEqual([decision?.outcome, decision?.quota.remaining], ['granted', 0]);
      });

      test('charged and uncharged requests of one batch do not take from each other', async () => {
        const { meter } = newMeter();
        const caller = createCaller({ perPeriod: 3 });
        const decisions = await Promise.all(times(10, (index) => meter.take(caller, index % 2 === 0)));
        assert.deepEqual(outcomes(decisions), { granted: 8, quota_exceeded: 2 });
        assert.deepEqual(
          decisions.map(({ quota }) => quota.remaining),
          [2, 2, 1, 1, 0, 0, 0, 0, 0, 0],
        );
        assert.equal(await storedQuota(caller), 3);
      });

      test('a refund restores quota and daily usage, not the rate window', async () => {
        const { meter } = newMeter();
        const caller = createCaller({ perMinute: 10, perPeriod: 4 });
        const taken = await takeMany(meter, caller, 4);
        await Promise.all(taken.slice(0, 3).map((decision) => meter.refund(receiptOf(decision))));
        assert.equal(await storedQuota(caller), 1);
        assert.equal((await storedDays(caller))[0]?.requests, 1);
        assert.equal((await storedWindow(caller))?.used, 4);
        const more = await takeMany(meter, caller, 5);
        assert.deepEqual(
          more.map(({ outcome, quota, window }) => [outcome, quota.remaining, window.remaining]),
          [
            ['granted', 2, 5],
            ['granted', 1, 4],
            ['granted', 0, 3],
            ['quota_exceeded', 0, 2],
            ['quota_exceeded', 0, 1],
          ],
        );
      });

      test('a refund goes to the month and day of the charge, even after the next ones have started', async () => {
        const { meter, clock } = newMeter('2026-03-31T23:59:59.999Z');
        const caller = createCaller({ perPeriod: 5 });
        const old = await takeMany(meter, caller, 2);
        clock.advance(1);
        await takeMany(meter, caller, 3);
        await meter.refund(receiptOf(old[0] as Decision));
        const [march, april] = [Date.parse('2026-03-01'), Date.parse('2026-04-01')];
        assert.deepEqual(
          (await storedQuotas(caller)).map(({ start, used }) => [start, used]),
          [
            [march, 1],
            [april, 3],
          ],
        );
        assert.deepEqual(
          (await storedDays(caller)).map(({ day, requests }) => [day, requests]),
          [
            ['2026-03-31', 1],
            ['2026-04-01', 3],
          ],
        );
      });

      test('a refund that fails is retried later, and the caller does not wait for it', async () => {
        const { meter, clock } = newMeter();
        const caller = createCaller();
        const [decision] = await takeMany(meter, caller, 3);
        let outages = 1;
        const failing: Db = {
          ...store.db,
          transaction: (work, options) =>
            outages-- > 0 ? Promise.reject(fail('service_unavailable')) : store.db.transaction(work, options),
        };
        await createMeter(failing, clock, readLimits()).refund(receiptOf(decision as Decision));
        assert.equal(await storedQuota(caller), 3);
        await until('the refund is retried', async () => (await storedQuota(caller)) === 2);
        assert.equal((await storedDays(caller))[0]?.requests, 2);
      });

      test('a refund whose commit was not confirmed is not repeated, so that never more than K requests pass', async () => {
        const { meter, clock } = newMeter();
        const [caller, other] = [createCaller({ perPeriod: 3 }), createCaller({ perPeriod: 3 })];
        const [decision] = await takeMany(meter, caller, 3);
        const [otherDecision] = await takeMany(meter, other, 3);
        const commits = ['unconfirmed', 'failed'];
        const failing: Db = {
          ...store.db,
          async transaction(work, options) {
            const commit = commits.shift();
            if (commit === 'failed') throw fail('service_unavailable');
            const result = await store.db.transaction(work, options);
            if (commit === 'unconfirmed') throw fail('service_unavailable');
            return result;
          },
        };
        const unreliable = createMeter(failing, clock, readLimits());
        await unreliable.refund(receiptOf(decision as Decision));
        await unreliable.refund(receiptOf(otherDecision as Decision));
        // The second refund is retried after a fixed delay. By then, a retry of the first one would have been made too.
        await until('the second refund is retried', async () => (await storedQuota(other)) === 2);
        assert.equal(await storedQuota(caller), 2, 'one request was refunded once');
        assert.equal((await storedDays(caller))[0]?.requests, 2);
      });

      test('a take that commits after its caller has timed out is refunded; one that was still queued is not counted', async () => {
        const { clock } = newMeter();
        const caller = createCaller({ perPeriod: 3 });
        const held = Promise.withResolvers<void>();
        let isHeld = true;
        const slow = aroundTransactions(store.db, async (run) => {
          if (isHeld) await held.promise;
          isHeld = false;
          return run();
        });
        const meter = createMeter(slow, clock, readLimits());
        const queued = createCaller();
        const timedOut = { code: 'service_unavailable' };
        const first = assert.rejects(meter.take(caller, true), timedOut);
        await new Promise(setImmediate);
        await Promise.all([first, assert.rejects(meter.take(queued, true), timedOut)]);
        assert.equal(await storedWindow(caller), undefined, 'nothing is counted yet');
        held.resolve();
        await until('the charge is refunded', async () => (await storedQuotas(caller))[0]?.used === 0);
        assert.equal((await storedWindow(caller))?.used, 1, 'the take was committed');
        assert.equal((await storedDays(caller))[0]?.requests, 0);
        assert.equal((await newMeter().meter.take(caller, true)).quota.remaining, 2);
        await meter.take(createCaller(), true);
        assert.equal(await storedWindow(queued), undefined, 'a take that timed out in the queue is counted');
      });

      test('if the database fails, every request of the batch is rejected and nothing is counted', async () => {
        const { clock } = newMeter();
        const caller = createCaller();
        let outages = 1;
        const failing: Db = {
          ...store.db,
          transaction: (work, options) =>
            store.db.transaction(async (tx) => {
              const result = await work(tx);
              if (outages-- > 0) throw fail('service_unavailable');
              return result;
            }, options),
          write: (sql, params, options) => failing.transaction((tx) => tx.all(sql, params), options),
        };
        const meter = createMeter(failing, clock, readLimits());
        const results = await Promise.allSettled(times(5, () => meter.take(caller, true)));
        assert.deepEqual(
          results.map(({ status }) => status),
          Array(5).fill('rejected'),
        );
        assert.deepEqual(
          [await storedWindow(caller), await storedQuotas(caller), await storedDays(caller)],
          [undefined, [], []],
        );
        assert.equal((await meter.take(caller, true)).quota.remaining, caller.plan.monthlyRequests - 1);
      });
    });
  });
}
