import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Decision, Receipt } from '../../src/accounts/metering/decisions.ts';
import { createMeter, type Meter } from '../../src/accounts/metering/meter.ts';
import type { Db } from '../../src/base/db/db.ts';
import type { Caller } from '../../src/base/usage.ts';
import { testClock } from '../harness/clock.ts';
import { engines, useStore } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { describeOn } from '../harness/describe-on.ts';
import { readLimits } from '../harness/limits.ts';
import { createCaller } from './meter-store.ts';
import { type Charge, DAY, findPeriod, KEYS, MINUTE, Model, type Terms } from './model.ts';

/** One step of a random sequence of events. */
type Step =
  /** Concurrent requests to one meter, in this order. */
  | { do: 'take'; meter: number; requests: { key: number; charged: boolean }[] }
  /** The same request many times, concurrently to all meters. */
  | { do: 'race'; key: number; charged: boolean; count: number }
  | { do: 'refund'; meter: number; which: number[] }
  | { do: 'move'; to: Move }
  | { do: 'plan'; account: number; perMinute: number; perPeriod: number }
  | { do: 'period'; account: number; anchor: number | null; length: number | null };

type Move = { by: number } | { boundary: 'minute' | 'day' | 'month' | 'period'; off: number };

const perMinute = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(1_000));
const perPeriod = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constant(1_000));
const key = fc.nat({ max: KEYS.length - 1 });
const account = fc.nat({ max: 1 });
const meter = fc.nat({ max: 1 });

const mostlyCharged = fc.nat({ max: 4 }).map((chance) => chance > 0);

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ by: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 3 * MINUTE })) }),
  fc.record({ by: fc.oneof(fc.integer({ min: 0, max: 3 * DAY }), fc.integer({ min: 0, max: 100 * DAY })) }),
  // The clock of another machine, and a clock that was set.
  fc.record({ by: fc.oneof(fc.integer({ min: -4 * MINUTE, max: 0 }), fc.integer({ min: -40 * DAY, max: 0 })) }),
  fc.record({
    boundary: fc.constantFrom('minute', 'day', 'month', 'period'),
    off: fc.constantFrom(-1_000, -1, 0, 1),
  }),
);

const take = fc.record({
  do: fc.constant('take' as const),
  meter,
  requests: fc.array(fc.record({ key, charged: mostlyCharged }), { minLength: 1, maxLength: 9 }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: take },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('race' as const),
      key,
      charged: mostlyCharged,
      count: fc.integer({ min: 2, max: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      meter,
      which: fc.array(fc.nat({ max: 1_000 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move' as const), to: move }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('plan' as const), account, perMinute, perPeriod }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('period' as const),
      account,
      // Relative to now, so that the clock is before, in and after the period.
      anchor: fc.option(fc.oneof(fc.constant(0), fc.integer({ min: -90 * DAY, max: 10 * DAY }))),
      length: fc.option(fc.oneof(fc.constant(31 * DAY), fc.integer({ min: -DAY, max: 60 * DAY }))),
    }),
  },
);

const START = fc.oneof(
  fc
    .constantFrom(
      '2026-03-31T23:59:59.500Z',
      '2027-12-31T23:59:58.999Z',
      '2028-02-28T23:59:30.000Z',
      '2028-02-29T23:59:59.999Z',
      '2026-01-31T10:00:00.000Z',
      '2026-03-15T12:00:59.999Z',
      '2100-02-28T23:59:59.000Z',
    )
    .map((text) => Date.parse(text)),
  fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2033-01-01') }),
);

/** A start time, the limits of two accounts, and the steps. */
const sequences = fc.record({
  start: START,
  terms: fc.tuple(perMinute, perPeriod, perMinute, perPeriod),
  steps: fc.array(step, { minLength: 1, maxLength: 24, size: 'max' }),
});

describeOn(engines, 'the meter matches a simple model', (engine) => {
  const { dbs } = useStore(engine, 'accounts', 2);

  test('every decision and every count, for random sequences of events', async (t) => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(sequences, (sequence) =>
        run(dbs, sequence, (what) => seen.set(what, (seen.get(what) ?? 0) + 1)),
      ),
      { numRuns: runs(50, 400) },
    );
    t.diagnostic(JSON.stringify(Object.fromEntries([...seen].sort())));
    // A sequence that never reaches a limit would prove nothing.
    for (const what of ['granted', 'rate_limited', 'quota_exceeded', 'uncharged', 'refunded']) {
      assert.ok((seen.get(what) ?? 0) > runs(10, 100), `${what}: ${seen.get(what)}`);
    }
  });
});

/** Runs one sequence with new accounts and keys. */
async function run(
  dbs: readonly Db[],
  { start, terms, steps }: { start: number; terms: [number, number, number, number]; steps: readonly Step[] },
  note: (what: string) => void,
): Promise<void> {
  const clock = testClock(new Date(start).toISOString());
  const meters = dbs.map((db) => createMeter(db, clock, readLimits()));
  const meterOf = (index: number) => meters[index] as Meter;
  const [accountIds, keyIds] = [[randomUUID(), randomUUID()], KEYS.map(() => randomUUID())];
  const periodless = { anchor: null, end: null };
  const model = new Model([
    { perMinute: terms[0], perPeriod: terms[1], ...periodless },
    { perMinute: terms[2], perPeriod: terms[3], ...periodless },
  ]);
  /** Charges that can be refunded, in the meter and in the model. */
  const open: { receipt: Receipt; charge: Charge }[] = [];

  function callerOf(key: number): Caller {
    const account = KEYS[key] as number;
    const { perMinute, perPeriod, anchor, end } = model.terms[account] as Terms;
    const [accountId, keyId] = [accountIds[account] as string, keyIds[key] as string];
    const caller = createCaller({ perMinute, perPeriod, accountId, keyId, kind: 'api_key', maxKeys: 1 });
    return { ...caller, periodAnchor: anchor, periodEnd: end };
  }

  function keep({ receipt }: Decision, { charge }: { charge: Charge | null }): void {
    assert.equal(receipt === null, charge === null);
    if (receipt !== null && charge !== null) open.push({ receipt, charge });
  }

  const visible = ({ outcome, window, quota }: Omit<Decision, 'receipt' | 'account'>) => ({ outcome, window, quota });

  const work = {
    async take({ meter, requests }: Extract<Step, { do: 'take' }>) {
      const decisions = await Promise.all(
        requests.map(({ key, charged }) => meterOf(meter).take(callerOf(key), charged)),
      );
      const expected = requests.map(({ key, charged }) => model.take(key, charged, clock.now()));
      assert.deepEqual(decisions.map(visible), expected.map(visible));
      for (const [index, decision] of decisions.entries()) {
        note(requests[index]?.charged ? decision.outcome : 'uncharged');
        keep(decision, expected[index] as { charge: Charge | null });
      }
    },
    async race({ key, charged, count }: Extract<Step, { do: 'race' }>) {
      const asked = Array.from({ length: count }, (_, index) => meterOf(index % 2).take(callerOf(key), charged));
      // Concurrent meters may serve requests in any order, but the totals must agree.
      const decisions = sorted(await Promise.all(asked));
      const expected = sorted(Array.from({ length: count }, () => model.take(key, charged, clock.now())));
      assert.deepEqual(decisions.map(visible), expected.map(visible));
      for (const [index, decision] of decisions.entries()) {
        note(charged ? decision.outcome : 'uncharged');
        keep(decision, expected[index] as { charge: Charge | null });
      }
    },
    async refund({ meter, which }: Extract<Step, { do: 'refund' }>) {
      const chosen = which.flatMap((at) => (open.length === 0 ? [] : open.splice(at % open.length, 1)));
      await Promise.all(chosen.map(({ receipt }) => meterOf(meter).refund(receipt)));
      for (const { charge } of chosen) {
        model.refund(charge);
        note('refunded');
      }
    },
    async move({ to }: Extract<Step, { do: 'move' }>) {
      const now = clock.now();
      const next = 'by' in to ? now + to.by : boundaryAfter(to.boundary, now) + to.off;
      clock.set(new Date(next).toISOString());
    },
    async plan({ account, perMinute, perPeriod }: Extract<Step, { do: 'plan' }>) {
      Object.assign(model.terms[account] as Terms, { perMinute, perPeriod });
    },
    async period({ account, anchor, length }: Extract<Step, { do: 'period' }>) {
      const from = anchor === null ? null : clock.now() + anchor;
      const end = from === null || length === null ? null : from + length;
      Object.assign(model.terms[account] as Terms, { anchor: from, end });
    },
  };

  function boundaryAfter(boundary: 'minute' | 'day' | 'month' | 'period', now: number): number {
    if (boundary === 'minute') return now - (now % MINUTE) + MINUTE;
    if (boundary === 'day') return now - (now % DAY) + DAY;
    return findPeriod(
      boundary === 'month' ? { ...(model.terms[0] as Terms), ...periodless } : (model.terms[0] as Terms),
      now,
    ).end;
  }

  for (const each of steps) {
    await work[each.do](each as never);
    for (const account of [0, 1]) {
      const { previous: _, ...usage } = await meterOf(account).readUsage(callerOf(KEYS.indexOf(account as 0)));
      assert.deepEqual(structuredClone(usage), model.usage(account, clock.now()));
    }
  }

  const lastUsed = await meterOf(0).findLastUsed(keyIds);
  assert.deepEqual(
    keyIds.map((id) => lastUsed.get(id)),
    keyIds.map((_, key) => model.lastUsed(key)),
  );
  await compareStored(dbs[0] as Db, model, accountIds, keyIds);
}

async function compareStored(db: Db, model: Model, accountIds: string[], keyIds: string[]): Promise<void> {
  for (const [index, id] of accountIds.entries()) {
    const rows = await db.all<{ start: number; used: number }>(
      'SELECT period_start AS start, used FROM quotas WHERE account_id = $1',
      [id],
    );
    // An uncharged request may leave a row with 0.
    const stored = rows.filter(({ used }) => used !== 0).map(({ start, used }) => [`${index} ${start}`, used]);
    const expected = [...model.quotas].filter(([name, used]) => name.startsWith(`${index} `) && used !== 0);
    assert.deepEqual(new Map(stored as [string, number][]), new Map(expected));
  }
  for (const [index, id] of keyIds.entries()) {
    const window = await db.one<{ minute: number; used: number }>(
      'SELECT minute, used FROM rate_windows WHERE key_id = $1',
      [id],
    );
    assert.deepEqual(window && { ...window }, model.windows.get(`key ${index}`));
    const days = await db.all<{ day: string; requests: number; lastUsed: number }>(
      'SELECT day, requests, last_used_at AS "lastUsed" FROM usage_daily WHERE key_id = $1',
      [id],
    );
    const stored = days.map(({ day, ...rest }) => [`${index} ${day}`, rest] as const);
    assert.deepEqual(new Map(stored), new Map([...model.days].filter(([name]) => name.startsWith(`${index} `))));
  }
}

/** Sorts granted decisions by what was left, then the denied ones. */
function sorted<T extends Omit<Decision, 'receipt' | 'account'>>(decisions: readonly T[]): T[] {
  const rank = ({ outcome, window, quota }: T) => [
    ['granted', 'quota_exceeded', 'rate_limited'].indexOf(outcome),
    -quota.remaining,
    -window.remaining,
  ];
  return decisions.toSorted((a, b) => {
    const [x, y] = [rank(a), rank(b)];
    const at = x.findIndex((value, index) => value !== y[index]);
    return at === -1 ? 0 : (x[at] as number) - (y[at] as number);
  });
}
