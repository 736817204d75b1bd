import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Decision } from '../../src/metering/decisions.ts';
import { engines } from '../harness/databases.ts';
import { createCaller, iso, type Terms, takeMany, useMeterStore } from './meter-store.ts';

for (const engine of engines) {
  describe(`billing periods and usage on ${engine}`, () => {
    const { newMeter } = useMeterStore(engine);

    describe('the billing period changes at the right instant', () => {
      for (const [name, terms, last, reset, next] of [
        ['the last second of a month', {}, '2026-03-31T23:59:59.999Z', '2026-04-01', '2026-05-01'],
        ['the last second of a year', {}, '2026-12-31T23:59:59.999Z', '2027-01-01', '2027-02-01'],
        ['28 February', {}, '2026-02-28T23:59:59.999Z', '2026-03-01', '2026-04-01'],
        ['29 February of a leap year', {}, '2028-02-29T23:59:59.999Z', '2028-03-01', '2028-04-01'],
        ['28 February 2100, which is not a leap year', {}, '2100-02-28T23:59:59.999Z', '2100-03-01', '2100-04-01'],
        [
          'the night when daylight saving time ends in the US',
          {},
          '2026-10-31T23:59:59.999Z',
          '2026-11-01',
          '2026-12-01',
        ],
        [
          'an anchor with a time',
          { anchor: '2026-01-15T08:30Z' },
          '2026-06-15T08:29:59.999Z',
          '2026-06-15T08:30Z',
          '2026-07-15T08:30Z',
        ],
        ['an anchor on the 31st', { anchor: '2026-01-31' }, '2026-02-27T23:59:59.999Z', '2026-02-28', '2026-03-31'],
        [
          'an anchor on the 31st, after a shorter month',
          { anchor: '2026-01-31' },
          '2026-03-30T23:59:59.999Z',
          '2026-03-31',
          '2026-04-30',
        ],
        [
          'an anchor on the 31st in a leap year',
          { anchor: '2028-01-31' },
          '2028-02-28T23:59:59.999Z',
          '2028-02-29',
          '2028-03-31',
        ],
        ['an anchor on 29 February', { anchor: '2028-02-29' }, '2029-02-27T23:59:59.999Z', '2029-02-28', '2029-03-29'],
        [
          'an anchor on 29 February, four years later',
          { anchor: '2028-02-29' },
          '2032-02-28T23:59:59.999Z',
          '2032-02-29',
          '2032-03-29',
        ],
        [
          'a period end set by the provider',
          { anchor: '2026-01-10', end: '2026-01-25' },
          '2026-01-24T23:59:59.999Z',
          '2026-01-25',
          '2026-02-25',
        ],
        [
          'a year paid in advance',
          { anchor: '2026-01-10', end: '2027-01-10' },
          '2027-01-09T23:59:59.999Z',
          '2027-01-10',
          '2027-02-10',
        ],
      ] as const satisfies readonly (readonly [string, Terms, string, string, string])[]) {
        test(name, async () => {
          const { meter, clock } = newMeter(last);
          const caller = createCaller({ perPeriod: 2, ...terms });
          const show = ({ outcome, quota }: Decision) => [outcome, quota.remaining, iso(quota.resetsAt)];
          const [turn, following] = [iso(Date.parse(reset)), iso(Date.parse(next))];
          assert.equal(clock.now() + 1, Date.parse(turn));
          assert.deepEqual((await takeMany(meter, caller, 3)).map(show), [
            ['granted', 1, turn],
            ['granted', 0, turn],
            ['quota_exceeded', 0, turn],
          ]);
          clock.advance(1);
          assert.deepEqual((await takeMany(meter, caller, 3)).map(show), [
            ['granted', 1, following],
            ['granted', 0, following],
            ['quota_exceeded', 0, following],
          ]);
          clock.set(following);
          clock.advance(-1);
          assert.deepEqual((await takeMany(meter, caller, 1)).map(show), [['quota_exceeded', 0, following]]);
          clock.advance(1);
          assert.equal((await takeMany(meter, caller, 1))[0]?.outcome, 'granted');
        });
      }
    });

    describe('usage', () => {
      test('usage across two months: each month has its own count and days', async () => {
        const { meter, clock } = newMeter('2026-02-27T10:00:00Z');
        const caller = createCaller({ perPeriod: 10 });
        assert.deepEqual(await meter.readUsage(caller), {
          periodStart: Date.parse('2026-02-01'),
          periodEnd: Date.parse('2026-03-01'),
          used: 0,
          limit: 10,
          remaining: 10,
          warning: null,
          daily: [],
          previous: null,
        });
        await takeMany(meter, caller, 2);
        clock.set('2026-02-28T23:59:59.999Z');
        await takeMany(meter, caller, 3);
        assert.deepEqual(structuredClone(await meter.readUsage(caller)), {
          periodStart: Date.parse('2026-02-01'),
          periodEnd: Date.parse('2026-03-01'),
          used: 5,
          limit: 10,
          remaining: 5,
          warning: null,
          daily: [
            { date: '2026-02-27', requests: 2 },
            { date: '2026-02-28', requests: 3 },
          ],
          previous: null,
        });
        clock.advance(1);
        const empty = await meter.readUsage(caller);
        assert.deepEqual([empty.used, empty.remaining, empty.daily], [0, 10, []]);
        const february = { periodStart: Date.parse('2026-02-01'), periodEnd: Date.parse('2026-03-01'), used: 5 };
        assert.deepEqual({ ...empty.previous }, february);
        await takeMany(meter, caller, 1);
        const march = structuredClone(await meter.readUsage(caller));
        assert.deepEqual([march.used, march.daily], [1, [{ date: '2026-03-01', requests: 1 }]]);
        assert.deepEqual({ ...march.previous }, february);
        clock.set('2026-05-01T00:00:00Z');
        assert.equal((await meter.readUsage(caller)).previous, null, 'April has no requests');
      });

      test('a day is the sum over all keys of the account, and of no other account', async () => {
        const { meter } = newMeter();
        const [one, two, stranger] = [
          createCaller({ accountId: 'a' }),
          createCaller({ accountId: 'a' }),
          createCaller(),
        ];
        await Promise.all([takeMany(meter, one, 2), takeMany(meter, two, 3), takeMany(meter, stranger, 5)]);
        const { used, daily } = structuredClone(await meter.readUsage(two));
        assert.deepEqual([used, daily], [5, [{ date: '2026-03-15', requests: 5 }]]);
      });

      test('last use: requests that counted in the rate window, but not rate-limited ones', async () => {
        const { meter, clock } = newMeter('2026-03-15T12:00:00.000Z');
        const [caller, idle] = [createCaller({ perMinute: 2, perPeriod: 1 }), createCaller()];
        const lastUsed = async () => {
          const at = (await meter.readLastUsed([caller.keyId, idle.keyId])).get(caller.keyId);
          return at === undefined ? null : iso(at);
        };
        assert.equal(await lastUsed(), null);
        await takeMany(meter, caller, 1);
        assert.equal(await lastUsed(), '2026-03-15T12:00:00.000Z');
        clock.advance(1_500);
        assert.equal((await takeMany(meter, caller, 1))[0]?.outcome, 'quota_exceeded');
        assert.equal(await lastUsed(), '2026-03-15T12:00:01.500Z');
        clock.advance(1_500);
        assert.equal((await takeMany(meter, caller, 1))[0]?.outcome, 'rate_limited');
        assert.equal(await lastUsed(), '2026-03-15T12:00:01.500Z');
        clock.advance(86_400_000);
        await takeMany(meter, caller, 1, false);
        assert.equal(await lastUsed(), '2026-03-16T12:00:03.000Z');
        clock.advance(-5_000);
        await takeMany(meter, caller, 1);
        assert.equal(await lastUsed(), '2026-03-16T12:00:03.000Z', 'a clock that is behind does not change it');
        assert.equal((await meter.readLastUsed([idle.keyId])).size, 0);
        assert.equal((await meter.readLastUsed([])).size, 0);
      });
    });
  });
}
