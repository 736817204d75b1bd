import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decision, decide } from '../../src/accounts/metering/decisions.ts';
import { createMeter } from '../../src/accounts/metering/meter.ts';
import type { Db } from '../../src/base/db/db.ts';
import { fail } from '../../src/base/errors.ts';
import type { Caller } from '../../src/base/usage.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { readLimits } from '../harness/limits.ts';
import { until } from '../harness/until.ts';
import {
  aroundTransactions,
  createCaller,
  granted,
  outcomes,
  receiptOf,
  takeMany,
  times,
  useMeterStore,
} from './meter-store.ts';

describeOn(engines, 'charges and refunds', (engine) => {
  const store = useMeterStore(engine);
  const { storedQuotas, storedQuota, storedWindow, storedDays, newMeter } = store;

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

  test('usage has the period before, if requests were counted in it and it ended where this one starts', async () => {
    const { meter, clock } = newMeter('2026-02-28T23:59:59.999Z');
    const caller = createCaller({ perPeriod: 10 });
    await takeMany(meter, caller, 5);
    const usage = await meter.readUsage(caller);
    assert.deepEqual([usage.used, usage.previous], [5, null]);
    clock.advance(1);
    const february = { periodStart: Date.parse('2026-02-01'), periodEnd: Date.parse('2026-03-01'), used: 5 };
    assert.deepEqual({ ...(await meter.readUsage(caller)).previous }, february);
    await takeMany(meter, caller, 1);
    const march = await meter.readUsage(caller);
    assert.deepEqual([march.used, { ...march.previous }], [1, february]);
    clock.set('2026-05-01T00:00:00Z');
    assert.equal((await meter.readUsage(caller)).previous, null, 'April has no requests');
  });
});

describeOn(engines, 'requests with a revoked key', (engine) => {
  const store = useMeterStore(engine);

  /** A caller whose key is stored, as the cache of a server knows it. */
  async function storeKey(): Promise<Caller> {
    const caller = createCaller();
    const { accountId, keyId } = caller;
    await store.db.run("INSERT INTO accounts (id, plan, created_at) VALUES ($1, 'pro', 0)", [accountId]);
    await store.db.run(
      "INSERT INTO api_keys (id, account_id, kind, name, prefix, hash, created_at, can_manage) VALUES ($1, $2, 'api_key', 'test', 'frm', $3, 0, 0)",
      [keyId, accountId, keyId],
    );
    return caller;
  }
  /** As another machine does it. */
  const revoke = ({ keyId }: Caller) => store.dbs[1]?.run('UPDATE api_keys SET revoked_at = 1 WHERE id = $1', [keyId]);

  test('the first request after the revocation is rejected and charges nothing', async () => {
    const { meter } = store.newMeter();
    const caller = await storeKey();
    assert.equal((await meter.take(caller, true)).outcome, 'granted');
    await revoke(caller);
    for (const charged of [true, false]) {
      const { outcome, receipt } = await meter.take(caller, charged);
      assert.deepEqual([outcome, receipt], ['revoked', null]);
    }
    assert.equal(await store.storedQuota(caller), 1);
    assert.deepEqual(
      (await store.storedDays(caller)).map(({ requests }) => requests),
      [1],
    );
  });

  for (const [name, charged] of [
    ['that are all charged', () => true],
    ['of which some are not charged', (index: number) => index % 2 === 0],
  ] as const) {
    for (const size of [3, 50]) {
      test(`in a batch of ${size} requests ${name}, only its own are rejected`, async () => {
        const callers = await Promise.all(times(size, storeKey));
        const gone = callers.filter((_, index) => index % 3 === 0);
        for (const caller of gone) await revoke(caller);
        const takes = callers.map((caller, index) => ({ caller, charged: charged(index) }));
        const decisions = await decide(store.db, takes, Date.parse('2026-03-15T12:00:00Z'));
        assert.deepEqual(outcomes(decisions), { revoked: gone.length, granted: size - gone.length });
        for (const [index, caller] of callers.entries()) {
          const isRevoked = index % 3 === 0;
          assert.equal(decisions[index]?.outcome, isRevoked ? 'revoked' : 'granted');
          assert.equal(await store.storedQuota(caller), !isRevoked && charged(index) ? 1 : 0);
        }
      });
    }
  }

  test('a revoked key is rejected as revoked, not as limited', async () => {
    const { meter } = store.newMeter();
    const caller = { ...(await storeKey()), plan: createCaller({ perMinute: 1, perPeriod: 1 }).plan };
    assert.deepEqual(
      [(await meter.take(caller, true)).outcome, (await meter.take(caller, true)).outcome],
      ['granted', 'rate_limited'],
    );
    await revoke(caller);
    assert.equal((await meter.take(caller, true)).outcome, 'revoked');
  });
});
