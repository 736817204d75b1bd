import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { fail } from '../../src/core/errors.ts';
import type { Caller } from '../../src/core/usage.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import type { Decision, Receipt } from '../../src/metering/decisions.ts';
import { createMeter, type Meter } from '../../src/metering/meter.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';

interface Terms {
  readonly perMinute?: number;
  readonly perPeriod?: number;
  readonly accountId?: string;
  readonly keyId?: string;
  readonly anchor?: string | null;
  readonly end?: string | null;
}

/** A caller with a new account and key, unless specified. */
function caller(terms: Terms = {}): Caller {
  const { perMinute = 1_000_000, perPeriod = 1_000_000, accountId = randomUUID(), keyId = randomUUID() } = terms;
  const plan = { id: 'pro', name: 'Pro', monthlyPriceEur: 29, maxApiKeys: 5 } as const;
  return {
    accountId,
    keyId,
    plan: { ...plan, requestsPerMinute: perMinute, monthlyRequests: perPeriod },
    periodAnchor: terms.anchor ? Date.parse(terms.anchor) : null,
    periodEnd: terms.end ? Date.parse(terms.end) : null,
  };
}

const times = <T>(count: number, work: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => work(i));
const takeMany = (meter: Meter, who: Caller, count: number, charged = true): Promise<Decision[]> =>
  Promise.all(times(count, () => meter.take(who, charged)));
const countdown = (from: number): number[] => times(from, (index) => from - 1 - index);
const outcomes = (decisions: readonly Decision[]) =>
  Object.fromEntries(
    [...Map.groupBy(decisions, ({ outcome }) => outcome)].map(([outcome, { length }]) => [outcome, length]),
  );
const granted = (decisions: readonly Decision[]) => decisions.filter(({ outcome }) => outcome === 'granted');
const receiptOf = ({ receipt }: Decision): Receipt => receipt ?? assert.fail('the request was not charged');
const iso = (instant: number) => new Date(instant).toISOString();

for (const engine of engines) {
  describe(`the meter on ${engine}`, () => {
    let database: TestDatabase;
    let dbs: Db[];
    let db: Db;
    before(async () => {
      database = await createDatabase(engine);
      db = openStore('accounts', database);
      await migrate(db, readMigrations('accounts'), systemClock);
      dbs = [db, ...times(3, () => openStore('accounts', database))];
    });
    after(async () => {
      for (const each of dbs) await each.close();
      await database.remove();
    });

    const storedQuotas = ({ accountId }: Caller) =>
      db.all<{ start: number; used: number }>(
        'SELECT period_start AS start, used FROM quotas WHERE account_id = $1 ORDER BY period_start',
        [accountId],
      );
    const storedQuota = async (who: Caller) => (await storedQuotas(who)).reduce((sum, { used }) => sum + used, 0);
    const storedWindow = ({ keyId }: Caller) =>
      db.one<{ minute: number; used: number }>('SELECT minute, used FROM rate_windows WHERE key_id = $1', [keyId]);
    const storedDays = ({ accountId }: Caller) =>
      db.all<{ keyId: string; day: string; requests: number; at: number }>(
        `SELECT key_id AS "keyId", day, requests, last_used_at AS at FROM usage_daily
          WHERE account_id = $1 ORDER BY day, key_id`,
        [accountId],
      );
    const newMeter = (start?: string) => {
      const clock = testClock(start);
      return { clock, meter: createMeter(db, clock) };
    };

    describe('exactly K of many parallel requests', () => {
      for (const handles of [1, 4]) {
        const meters = () => dbs.slice(0, handles).map((each) => createMeter(each, testClock()));
        /** Several concurrent batches from every handle. */
        const storm = async (who: (index: number) => Caller, count: number, charged = true) => {
          const all = meters();
          const asked: Promise<Decision>[] = [];
          for (let index = 0; index < count; index++) {
            asked.push((all[index % handles] as Meter).take(who(index), charged));
            if (index % 40 === 39) await new Promise(setImmediate);
          }
          return Promise.all(asked);
        };

        for (const limit of [0, 1, 37]) {
          test(`a quota of ${limit} on ${handles} handle(s): denied requests cost nothing`, async () => {
            const who = caller({ perPeriod: limit });
            const decisions = await storm(() => who, 200);
            const passed = granted(decisions);
            assert.equal(passed.length, limit);
            const remaining = passed.map(({ quota }) => quota.remaining).sort((a, b) => b - a);
            assert.deepEqual(remaining, countdown(limit), 'Remaining has no duplicates and ends at 0');
            for (const { outcome, quota, receipt } of decisions) {
              assert.equal(quota.limit, limit);
              if (outcome === 'granted') continue;
              assert.deepEqual([outcome, quota.remaining, receipt], ['quota_exceeded', 0, null]);
            }
            assert.equal(await storedQuota(who), limit);
            assert.equal((await storedWindow(who))?.used, 200, 'all of them count in the rate window');
            assert.equal((await storedDays(who))[0]?.requests, limit);
          });

          test(`a rate window of ${limit} on ${handles} handle(s): denied requests cost nothing`, async () => {
            const who = caller({ perMinute: limit });
            const decisions = await storm(() => who, 200);
            const passed = granted(decisions);
            assert.equal(passed.length, limit);
            const remaining = passed.map(({ window }) => window.remaining).sort((a, b) => b - a);
            assert.deepEqual(remaining, countdown(limit), 'Remaining has no duplicates and ends at 0');
            for (const { outcome, window, receipt } of decisions) {
              assert.equal(window.limit, limit);
              if (outcome === 'granted') continue;
              assert.deepEqual([outcome, window.remaining, receipt], ['rate_limited', 0, null]);
            }
            assert.equal((await storedWindow(who))?.used, limit);
            assert.equal(await storedQuota(who), limit, 'a rate-limited request costs no quota');
            assert.equal((await storedDays(who))[0]?.requests, limit === 0 ? undefined : limit);
          });
        }

        test(`keys of an account share the quota and have separate rate windows, on ${handles} handle(s)`, async () => {
          const accountId = randomUUID();
          const keys = times(3, () => caller({ accountId, perMinute: 40, perPeriod: 100 }));
          const decisions = await storm((index) => keys[index % 3] as Caller, 240);
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

        test(`with concurrent refunds on ${handles} handle(s): used is what passed minus what was refunded`, async () => {
          const who = caller({ perPeriod: 50 });
          const all = meters();
          let [passed, back] = [0, 0];
          const work = async (index: number) => {
            const meter = all[index % handles] as Meter;
            for (let round = 0; round < 4; round++) {
              const { outcome, receipt, quota } = await meter.take(who, true);
              assert.ok(quota.remaining >= 0 && quota.remaining < 50);
              if (outcome !== 'granted' || receipt === null) continue;
              passed++;
              if ((index + round) % 2 === 1) continue;
              await meter.refund(receipt);
              back++;
            }
          };
          await Promise.all(times(60, work));
          assert.ok(passed - back <= 50 && back > 0);
          assert.equal(await storedQuota(who), passed - back);
          assert.equal((await storedDays(who))[0]?.requests, passed - back);
          const rest = await takeMany(all[0] as Meter, who, 60);
          assert.equal(granted(rest).length, 50 - (passed - back));
          assert.equal(await storedQuota(who), 50);
        });
      }

      test('the first requests get what is left', async () => {
        const { meter } = newMeter();
        const decisions = await takeMany(meter, caller({ perPeriod: 3 }), 5);
        assert.deepEqual(
          decisions.map(({ outcome, quota }) => [outcome, quota.remaining]),
          [
            ['granted', 2],
            ['granted', 1],
            ['granted', 0],
            ['quota_exceeded', 0],
            ['quota_exceeded', 0],
          ],
        );
      });

      test('2,500 concurrent requests, more than fit into one transaction, with as many keys and with one', async () => {
        const { meter } = newMeter();
        const accountId = randomUUID();
        const many = times(2_500, () => caller({ accountId, perPeriod: 2_000 }));
        const decisions = await Promise.all(many.map((who) => meter.take(who, true)));
        assert.deepEqual(outcomes(decisions), { granted: 2_000, quota_exceeded: 500 });
        assert.deepEqual(
          granted(decisions).map(({ quota }) => quota.remaining),
          countdown(2_000),
        );
        const one = caller({ perMinute: 2_200, perPeriod: 2_100 });
        assert.deepEqual(outcomes(await takeMany(meter, one, 2_500)), {
          granted: 2_100,
          quota_exceeded: 100,
          rate_limited: 300,
        });
        assert.equal(await storedQuota(one), 2_100);
      });

      test('1,500 concurrent refunds', async () => {
        const { meter } = newMeter();
        const accountId = randomUUID();
        const keys = times(30, () => caller({ accountId }));
        const taken = await Promise.all(times(1_500, (index) => meter.take(keys[index % 30] as Caller, true)));
        await Promise.all(taken.slice(0, 1_400).map((decision) => meter.refund(receiptOf(decision))));
        assert.equal(await storedQuota(keys[0] as Caller), 100);
        const days = await storedDays(keys[0] as Caller);
        assert.equal(
          days.reduce((sum, { requests }) => sum + requests, 0),
          100,
        );
      });
    });

    describe('charges', () => {
      test('a decision contains limit, remaining and reset of both, and what was charged', async () => {
        const { meter } = newMeter('2026-03-15T12:00:17.250Z');
        const who = caller({ perMinute: 60, perPeriod: 1_000 });
        assert.deepEqual(await meter.take(who, true), {
          outcome: 'granted',
          window: { limit: 60, remaining: 59, resetsAt: Date.parse('2026-03-15T12:01:00Z') },
          quota: { limit: 1_000, remaining: 999, resetsAt: Date.parse('2026-04-01T00:00:00Z') },
          receipt: {
            accountId: who.accountId,
            keyId: who.keyId,
            periodStart: Date.parse('2026-03-01T00:00:00Z'),
            day: '2026-03-15',
          },
        });
      });

      test('an uncharged request counts in the rate window, costs no quota, and its decision shows both', async () => {
        const { meter } = newMeter();
        const who = caller({ perMinute: 5, perPeriod: 10 });
        await takeMany(meter, who, 2);
        const [first] = await takeMany(meter, who, 1, false);
        assert.deepEqual(
          [first?.outcome, first?.window.remaining, first?.quota.remaining, first?.receipt],
          ['granted', 2, 8, null],
        );
        assert.deepEqual(outcomes(await takeMany(meter, who, 4, false)), { granted: 2, rate_limited: 2 });
        assert.equal(await storedQuota(who), 2);
        assert.equal((await storedDays(who))[0]?.requests, 2);
      });

      test('an uncharged request passes with an exhausted quota, and its decision shows that', async () => {
        const { meter } = newMeter();
        const who = caller({ perPeriod: 1 });
        await takeMany(meter, who, 1);
        const [decision] = await takeMany(meter, who, 1, false);
        assert.deepEqual([decision?.outcome, decision?.quota.remaining], ['granted', 0]);
      });

      test('charged and uncharged requests of one batch do not take from each other', async () => {
        const { meter } = newMeter();
        const who = caller({ perPeriod: 3 });
        const decisions = await Promise.all(times(10, (index) => meter.take(who, index % 2 === 0)));
        assert.deepEqual(outcomes(decisions), { granted: 8, quota_exceeded: 2 });
        assert.deepEqual(
          decisions.map(({ quota }) => quota.remaining),
          [2, 2, 1, 1, 0, 0, 0, 0, 0, 0],
        );
        assert.equal(await storedQuota(who), 3);
      });

      test('a refund restores quota and daily usage, not the rate window', async () => {
        const { meter } = newMeter();
        const who = caller({ perMinute: 10, perPeriod: 4 });
        const taken = await takeMany(meter, who, 4);
        await Promise.all(taken.slice(0, 3).map((decision) => meter.refund(receiptOf(decision))));
        assert.equal(await storedQuota(who), 1);
        assert.equal((await storedDays(who))[0]?.requests, 1);
        assert.equal((await storedWindow(who))?.used, 4);
        const more = await takeMany(meter, who, 5);
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
        const who = caller({ perPeriod: 5 });
        const old = await takeMany(meter, who, 2);
        clock.advance(1);
        await takeMany(meter, who, 3);
        await meter.refund(receiptOf(old[0] as Decision));
        const [march, april] = [Date.parse('2026-03-01'), Date.parse('2026-04-01')];
        assert.deepEqual(
          (await storedQuotas(who)).map(({ start, used }) => [start, used]),
          [
            [march, 1],
            [april, 3],
          ],
        );
        assert.deepEqual(
          (await storedDays(who)).map(({ day, requests }) => [day, requests]),
          [
            ['2026-03-31', 1],
            ['2026-04-01', 3],
          ],
        );
      });

      test('a refund that fails is retried later, and the caller does not wait for it', async () => {
        const { meter, clock } = newMeter();
        const who = caller();
        const [decision] = await takeMany(meter, who, 3);
        let outages = 1;
        const failing: Db = {
          ...db,
          transaction: (work, options) =>
            outages-- > 0 ? Promise.reject(fail('service_unavailable')) : db.transaction(work, options),
        };
        await createMeter(failing, clock).refund(receiptOf(decision as Decision));
        assert.equal(await storedQuota(who), 3);
        await until('the refund is retried', async () => (await storedQuota(who)) === 2);
        assert.equal((await storedDays(who))[0]?.requests, 2);
      });

      test('a refund whose commit was not confirmed is not repeated, so that never more than K requests pass', async () => {
        const { meter, clock } = newMeter();
        const [who, other] = [caller({ perPeriod: 3 }), caller({ perPeriod: 3 })];
        const [decision] = await takeMany(meter, who, 3);
        const [otherDecision] = await takeMany(meter, other, 3);
        const commits = ['unconfirmed', 'failed'];
        const failing: Db = {
          ...db,
          async transaction(work, options) {
            const commit = commits.shift();
            if (commit === 'failed') throw fail('service_unavailable');
            const result = await db.transaction(work, options);
            if (commit === 'unconfirmed') throw fail('service_unavailable');
            return result;
          },
        };
        const unreliable = createMeter(failing, clock);
        await unreliable.refund(receiptOf(decision as Decision));
        await unreliable.refund(receiptOf(otherDecision as Decision));
        // The second refund is retried after a fixed delay. By then, a retry of the first one would have been made too.
        await until('the second refund is retried', async () => (await storedQuota(other)) === 2);
        assert.equal(await storedQuota(who), 2, 'one request was refunded once');
        assert.equal((await storedDays(who))[0]?.requests, 2);
      });

      test('a take that commits after its caller has timed out is refunded; one that was still queued is not counted', async () => {
        const { clock } = newMeter();
        const who = caller({ perPeriod: 3 });
        const held = Promise.withResolvers<void>();
        let isHeld = true;
        const slow: Db = {
          ...db,
          async transaction(work, options) {
            if (isHeld) await held.promise;
            isHeld = false;
            return db.transaction(work, options);
          },
        };
        const meter = createMeter(slow, clock);
        const queued = caller();
        const timedOut = { code: 'service_unavailable' };
        const first = assert.rejects(meter.take(who, true), timedOut);
        await new Promise(setImmediate);
        await Promise.all([first, assert.rejects(meter.take(queued, true), timedOut)]);
        assert.equal(await storedWindow(who), undefined, 'nothing is counted yet');
        held.resolve();
        await until('the charge is refunded', async () => (await storedQuotas(who))[0]?.used === 0);
        assert.equal((await storedWindow(who))?.used, 1, 'the take was committed');
        assert.equal((await storedDays(who))[0]?.requests, 0);
        assert.equal((await newMeter().meter.take(who, true)).quota.remaining, 2);
        await meter.take(caller(), true);
        assert.equal(await storedWindow(queued), undefined, 'a take that timed out in the queue is counted');
      });

      test('if the database fails, every request of the batch is rejected and nothing is counted', async () => {
        const { clock } = newMeter();
        const who = caller();
        let outages = 1;
        const failing: Db = {
          ...db,
          transaction: (work, options) =>
            db.transaction(async (tx) => {
              const result = await work(tx);
              if (outages-- > 0) throw fail('service_unavailable');
              return result;
            }, options),
        };
        const meter = createMeter(failing, clock);
        const results = await Promise.allSettled(times(5, () => meter.take(who, true)));
        assert.deepEqual(
          results.map(({ status }) => status),
          Array(5).fill('rejected'),
        );
        assert.deepEqual(
          [await storedWindow(who), await storedQuotas(who), await storedDays(who)],
          [undefined, [], []],
        );
        assert.equal((await meter.take(who, true)).quota.remaining, who.plan.monthlyRequests - 1);
      });
    });

    describe('change of plan', () => {
      test('a smaller plan with more used than it allows grants nothing, shows 0 and counts nothing', async () => {
        const { meter } = newMeter();
        const before = caller({ perMinute: 50, perPeriod: 100 });
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
        const small = caller({ perMinute: 5, perPeriod: 5 });
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
          const who = caller({ perPeriod: first });
          const changed = { ...who, plan: { ...who.plan, monthlyRequests: last } };
          const decisions = await Promise.all(times(12, (index) => meter.take(index < 6 ? who : changed, true)));
          assert.equal(granted(decisions).length, last);
          assert.ok(decisions.every(({ quota }) => quota.remaining >= 0 && quota.remaining < quota.limit + 1));
          assert.equal(await storedQuota(who), last);

          const key = caller({ perMinute: first });
          const changedKey = { ...key, plan: { ...key.plan, requestsPerMinute: last } };
          const requests = await Promise.all(times(12, (index) => meter.take(index < 6 ? key : changedKey, true)));
          assert.equal(granted(requests).length, last);
          assert.ok(requests.every(({ window }) => window.remaining >= 0 && window.remaining <= window.limit));
          assert.equal((await storedWindow(key))?.used, last);
        }
      });

      test('a paid period starts at 0, and the month before it does not change', async () => {
        const { meter } = newMeter('2026-03-15T12:00:00Z');
        const free = caller({ perPeriod: 5 });
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
        const who = caller({ perMinute: 2 });
        assert.deepEqual(outcomes(await takeMany(meter, who, 3)), { granted: 2, rate_limited: 1 });
        clock.advance(1);
        const [late] = await takeMany(meter, who, 1);
        assert.deepEqual([late?.outcome, iso(late?.window.resetsAt ?? 0)], [
          'rate_limited',
          '2026-03-15T12:01:00.000Z',
        ] satisfies unknown[]);
        clock.advance(1);
        const [fresh] = await takeMany(meter, who, 1);
        assert.deepEqual([fresh?.outcome, fresh?.window.remaining, iso(fresh?.window.resetsAt ?? 0)], [
          'granted',
          1,
          '2026-03-15T12:02:00.000Z',
        ] satisfies unknown[]);
      });

      test('a machine whose clock is less than two minutes behind counts in the current window', async () => {
        const [ahead, behind] = [newMeter('2026-03-15T12:02:00.000Z'), newMeter('2026-03-15T12:01:59.999Z')];
        for (const time of ['2026-03-15T12:01:59.999Z', '2026-03-15T12:00:00.001Z']) {
          const who = caller({ perMinute: 3 });
          behind.clock.set(time);
          await takeMany(ahead.meter, who, 2);
          const decisions = await takeMany(behind.meter, who, 2);
          assert.deepEqual(
            decisions.map(({ outcome, window }) => [outcome, window.remaining, iso(window.resetsAt)]),
            [
              ['granted', 0, '2026-03-15T12:03:00.000Z'],
              ['rate_limited', 0, '2026-03-15T12:03:00.000Z'],
            ],
            time,
          );
          assert.deepEqual(outcomes(await takeMany(ahead.meter, who, 1)), { rate_limited: 1 });
          assert.equal((await storedWindow(who))?.minute, Date.parse('2026-03-15T12:02:00Z'));
        }
      });

      test('two machines at the turn of a minute do not grant a window twice', async () => {
        const who = caller({ perMinute: 10 });
        const [ahead, behind] = [newMeter('2026-03-15T12:01:00.001Z'), newMeter('2026-03-15T12:00:59.999Z')];
        const decisions = await Promise.all(
          times(30, (index) => (index % 2 === 0 ? ahead : behind).meter.take(who, true)),
        );
        const passed = granted(decisions);
        const later = passed.filter(({ window }) => window.resetsAt === Date.parse('2026-03-15T12:02:00Z'));
        assert.ok(later.length <= 10 && passed.length - later.length <= 10);
        assert.equal((await storedWindow(who))?.used, 10);
      });

      test('a clock that is set back by more starts a new window, so that keys are not blocked until it catches up', async () => {
        const { meter, clock } = newMeter('2026-03-15T12:00:00.000Z');
        const who = caller({ perMinute: 2 });
        await takeMany(meter, who, 2);
        clock.set('2026-03-15T11:57:59.999Z');
        const [decision] = await takeMany(meter, who, 1);
        assert.deepEqual([decision?.outcome, decision?.window.remaining, iso(decision?.window.resetsAt ?? 0)], [
          'granted',
          1,
          '2026-03-15T11:58:00.000Z',
        ] satisfies unknown[]);
        clock.set('2020-01-01T00:00:00Z');
        assert.deepEqual(outcomes(await takeMany(meter, who, 3)), { granted: 2, rate_limited: 1 });
      });

      test('only the current window is stored: a key has one row', async () => {
        const { meter, clock } = newMeter();
        const who = caller();
        for (let minute = 0; minute < 5; minute++, clock.advance(60_000)) await takeMany(meter, who, 2);
        const rows = await db.all('SELECT 1 AS one FROM rate_windows WHERE key_id = $1', [who.keyId]);
        assert.equal(rows.length, 1);
      });
    });

    describe('the billing period changes at the right instant', () => {
      for (const [name, terms, last, reset, next] of [
        ['the last second of a month', {}, '2026-03-31T23:59:59.999Z', '2026-04-01', '2026-05-01'],
        ['the last second of a year', {}, '2026-12-31T23:59:59.999Z', '2027-01-01', '2027-02-01'],
        ['28 February', {}, '2026-02-28T23:59:59.999Z', '2026-03-01', '2026-04-01'],
        ['29 February of a leap year', {}, '2028-02-29T23:59:59.999Z', '2028-03-01', '2028-04-01'],
        ['28 February of 2100, which is none', {}, '2100-02-28T23:59:59.999Z', '2100-03-01', '2100-04-01'],
        ['a night in which clocks elsewhere change', {}, '2026-10-31T23:59:59.999Z', '2026-11-01', '2026-12-01'],
        [
          'an anchor with a time',
          { anchor: '2026-01-15T08:30Z' },
          '2026-06-15T08:29:59.999Z',
          '2026-06-15T08:30Z',
          '2026-07-15T08:30Z',
        ],
        ['an anchor on the 31st', { anchor: '2026-01-31' }, '2026-02-27T23:59:59.999Z', '2026-02-28', '2026-03-31'],
        ['the 31st, coming back', { anchor: '2026-01-31' }, '2026-03-30T23:59:59.999Z', '2026-03-31', '2026-04-30'],
        ['the 31st in a leap year', { anchor: '2028-01-31' }, '2028-02-28T23:59:59.999Z', '2028-02-29', '2028-03-31'],
        ['an anchor on 29 February', { anchor: '2028-02-29' }, '2029-02-27T23:59:59.999Z', '2029-02-28', '2029-03-29'],
        [
          '29 February, four years on',
          { anchor: '2028-02-29' },
          '2032-02-28T23:59:59.999Z',
          '2032-02-29',
          '2032-03-29',
        ],
        [
          'an end the provider told',
          { anchor: '2026-01-10', end: '2026-01-25' },
          '2026-01-24T23:59:59.999Z',
          '2026-01-25',
          '2026-02-25',
        ],
        [
          'a year that was paid at once',
          { anchor: '2026-01-10', end: '2027-01-10' },
          '2027-01-09T23:59:59.999Z',
          '2027-01-10',
          '2027-02-10',
        ],
      ] as const satisfies readonly (readonly [string, Terms, string, string, string])[]) {
        test(name, async () => {
          const { meter, clock } = newMeter(last);
          const who = caller({ perPeriod: 2, ...terms });
          const show = ({ outcome, quota }: Decision) => [outcome, quota.remaining, iso(quota.resetsAt)];
          const [turn, following] = [iso(Date.parse(reset)), iso(Date.parse(next))];
          assert.equal(clock.now() + 1, Date.parse(turn));
          assert.deepEqual((await takeMany(meter, who, 3)).map(show), [
            ['granted', 1, turn],
            ['granted', 0, turn],
            ['quota_exceeded', 0, turn],
          ]);
          clock.advance(1);
          assert.deepEqual((await takeMany(meter, who, 3)).map(show), [
            ['granted', 1, following],
            ['granted', 0, following],
            ['quota_exceeded', 0, following],
          ]);
          clock.set(following);
          clock.advance(-1);
          assert.deepEqual((await takeMany(meter, who, 1)).map(show), [['quota_exceeded', 0, following]]);
          clock.advance(1);
          assert.equal((await takeMany(meter, who, 1))[0]?.outcome, 'granted');
        });
      }
    });

    describe('usage', () => {
      test('usage across two months: each month has its own count and days', async () => {
        const { meter, clock } = newMeter('2026-02-27T10:00:00Z');
        const who = caller({ perPeriod: 10 });
        assert.deepEqual(await meter.readUsage(who), {
          periodStart: Date.parse('2026-02-01'),
          periodEnd: Date.parse('2026-03-01'),
          used: 0,
          limit: 10,
          remaining: 10,
          daily: [],
        });
        await takeMany(meter, who, 2);
        clock.set('2026-02-28T23:59:59.999Z');
        await takeMany(meter, who, 3);
        assert.deepEqual(structuredClone(await meter.readUsage(who)), {
          periodStart: Date.parse('2026-02-01'),
          periodEnd: Date.parse('2026-03-01'),
          used: 5,
          limit: 10,
          remaining: 5,
          daily: [
            { date: '2026-02-27', requests: 2 },
            { date: '2026-02-28', requests: 3 },
          ],
        });
        clock.advance(1);
        const empty = await meter.readUsage(who);
        assert.deepEqual([empty.used, empty.remaining, empty.daily], [0, 10, []]);
        await takeMany(meter, who, 1);
        const march = structuredClone(await meter.readUsage(who));
        assert.deepEqual([march.used, march.daily], [1, [{ date: '2026-03-01', requests: 1 }]]);
      });

      test('a day is the sum over all keys of the account, and of no other account', async () => {
        const { meter } = newMeter();
        const [one, two, stranger] = [caller({ accountId: 'a' }), caller({ accountId: 'a' }), caller()];
        await Promise.all([takeMany(meter, one, 2), takeMany(meter, two, 3), takeMany(meter, stranger, 5)]);
        const { used, daily } = structuredClone(await meter.readUsage(two));
        assert.deepEqual([used, daily], [5, [{ date: '2026-03-15', requests: 5 }]]);
      });

      test('last use: requests that counted in the rate window, but not rate-limited ones', async () => {
        const { meter, clock } = newMeter('2026-03-15T12:00:00.000Z');
        const [who, idle] = [caller({ perMinute: 2, perPeriod: 1 }), caller()];
        const lastUsed = async () => {
          const at = (await meter.readLastUsed([who.keyId, idle.keyId])).get(who.keyId);
          return at === undefined ? null : iso(at);
        };
        assert.equal(await lastUsed(), null);
        await takeMany(meter, who, 1);
        assert.equal(await lastUsed(), '2026-03-15T12:00:00.000Z');
        clock.advance(1_500);
        assert.equal((await takeMany(meter, who, 1))[0]?.outcome, 'quota_exceeded');
        assert.equal(await lastUsed(), '2026-03-15T12:00:01.500Z');
        clock.advance(1_500);
        assert.equal((await takeMany(meter, who, 1))[0]?.outcome, 'rate_limited');
        assert.equal(await lastUsed(), '2026-03-15T12:00:01.500Z');
        clock.advance(86_400_000);
        await takeMany(meter, who, 1, false);
        assert.equal(await lastUsed(), '2026-03-16T12:00:03.000Z');
        clock.advance(-5_000);
        await takeMany(meter, who, 1);
        assert.equal(await lastUsed(), '2026-03-16T12:00:03.000Z', 'a clock that is behind does not change it');
        assert.equal((await meter.readLastUsed([idle.keyId])).size, 0);
        assert.equal((await meter.readLastUsed([])).size, 0);
      });
    });
  });
}
