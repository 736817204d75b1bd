import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/core/clock.ts';
import type { Caller } from '../../src/core/usage.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import type { Decision, Receipt } from '../../src/metering/decisions.ts';
import { createMeter, type Meter } from '../../src/metering/meter.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';

/**
 * Compares the meter with a model that applies the same rules in memory, one request after the other. The model has its own
 * calendar, so that the test does not depend on the code it checks.
 */
interface Terms {
  perMinute: number;
  perPeriod: number;
  anchor: number | null;
  end: number | null;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Two keys of the first account, one of the second. */
const KEYS = [0, 0, 1] as const;

class Model {
  readonly terms: Terms[];
  readonly windows = new Map<number, { minute: number; used: number }>();
  /** By account and start of the period. */
  readonly quotas = new Map<string, number>();
  /** By key and day. */
  readonly days = new Map<string, { requests: number; lastUsed: number }>();

  constructor(terms: readonly Terms[]) {
    this.terms = terms.map((each) => ({ ...each }));
  }

  take(key: number, charged: boolean, now: number) {
    const account = KEYS[key] as number;
    const terms = this.terms[account] as Terms;
    const period = findPeriod(terms, now);
    const quotaName = `${account} ${period.start}`;
    const window = this.#windowOf(key, now);
    const quotaUsed = this.quotas.get(quotaName) ?? 0;
    const tell = (outcome: Decision['outcome'], used: number) => ({
      outcome,
      window: {
        limit: terms.perMinute,
        remaining: Math.max(0, terms.perMinute - window.used),
        resetsAt: window.minute + MINUTE,
      },
      quota: { limit: terms.perPeriod, remaining: Math.max(0, terms.perPeriod - used), resetsAt: period.end },
      charge: outcome === 'granted' && charged ? { quotaName, dayName: `${key} ${dayOf(now)}` } : null,
    });
    if (window.used >= terms.perMinute) return tell('rate_limited', quotaUsed);
    window.used++;
    const day = this.days.get(`${key} ${dayOf(now)}`) ?? { requests: 0, lastUsed: 0 };
    this.days.set(`${key} ${dayOf(now)}`, day);
    day.lastUsed = Math.max(day.lastUsed, now);
    if (!charged) return tell('granted', quotaUsed);
    if (quotaUsed >= terms.perPeriod) return tell('quota_exceeded', quotaUsed);
    this.quotas.set(quotaName, quotaUsed + 1);
    day.requests++;
    return tell('granted', quotaUsed + 1);
  }

  #windowOf(key: number, now: number) {
    const minute = now - (((now % MINUTE) + MINUTE) % MINUTE);
    const known = this.windows.get(key);
    if (known !== undefined && minute <= known.minute && known.minute - minute <= 2 * MINUTE) return known;
    const fresh = { minute, used: 0 };
    this.windows.set(key, fresh);
    return fresh;
  }

  refund({ quotaName, dayName }: Charge): void {
    this.quotas.set(quotaName, (this.quotas.get(quotaName) ?? 0) - 1);
    const day = this.days.get(dayName);
    if (day) day.requests--;
  }

  usage(account: number, now: number) {
    const terms = this.terms[account] as Terms;
    const { start, end } = findPeriod(terms, now);
    const used = this.quotas.get(`${account} ${start}`) ?? 0;
    const daily = new Map<string, number>();
    for (const [name, { requests }] of this.days) {
      const [key, day = ''] = name.split(' ');
      if (KEYS[Number(key)] !== account || day < dayOf(start) || day > dayOf(end - 1)) continue;
      daily.set(day, (daily.get(day) ?? 0) + requests);
    }
    const days = [...daily].map(([date, requests]) => ({ date, requests })).sort((a, b) => (a.date < b.date ? -1 : 1));
    const remaining = Math.max(0, terms.perPeriod - used);
    return { periodStart: start, periodEnd: end, used, limit: terms.perPeriod, remaining, daily: days };
  }

  lastUsed(key: number): number | undefined {
    const all = [...this.days].filter(([name]) => name.startsWith(`${key} `)).map(([, { lastUsed }]) => lastUsed);
    return all.length === 0 ? undefined : Math.max(...all);
  }
}

interface Charge {
  readonly quotaName: string;
  readonly dayName: string;
}

/** Goes through the months one by one: slow, but simple. */
function findPeriod({ anchor, end }: Terms, now: number): { start: number; end: number } {
  if (anchor === null) return monthsFrom(Date.parse(`${dayOf(now).slice(0, 7)}-01T00:00:00Z`), now);
  const told = end !== null && end > anchor ? end : monthLater(anchor, 1);
  if (now >= anchor && now < told) return { start: anchor, end: told };
  if (now < anchor) return monthsFrom(anchor, now);
  for (let months = 1; monthLater(anchor, months) <= told; months++) {
    if (monthLater(anchor, months) === told) return monthsFrom(anchor, now);
  }
  return monthsFrom(told, now);
}

function monthsFrom(reference: number, now: number): { start: number; end: number } {
  const about = Math.round((now - reference) / (30.4375 * DAY));
  for (let months = about - 2; months <= about + 2; months++) {
    const [start, end] = [monthLater(reference, months), monthLater(reference, months + 1)];
    if (start <= now && now < end) return { start, end };
  }
  throw new Error(`no month from ${reference} has ${now}`);
}

function monthLater(instant: number, months: number): number {
  const [, year = '', month = '', day = '', time = ''] =
    /^(\d+)-(\d+)-(\d+)(T.*)$/.exec(new Date(instant).toISOString()) ?? [];
  const index = Number(year) * 12 + Number(month) - 1 + months;
  const [newYear, newMonth] = [Math.floor(index / 12), (index % 12) + 1];
  const isLeap = newYear % 4 === 0 && (newYear % 100 !== 0 || newYear % 400 === 0);
  const length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][newMonth - 1] ?? 0;
  const two = (value: number) => String(value).padStart(2, '0');
  return Date.parse(`${newYear}-${two(newMonth)}-${two(Math.min(Number(day), length))}${time}`);
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

type Step =
  /** Concurrent requests to one meter, in this order. */
  | { do: 'take'; meter: number; asks: { key: number; charged: boolean }[] }
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
  asks: fc.array(fc.record({ key, charged: mostlyCharged }), { minLength: 1, maxLength: 9 }),
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

const story = fc.record({
  start: START,
  terms: fc.tuple(perMinute, perPeriod, perMinute, perPeriod),
  steps: fc.array(step, { minLength: 1, maxLength: 24, size: 'max' }),
});

for (const engine of engines) {
  describe(`the meter matches a simple model on ${engine}`, () => {
    let database: TestDatabase;
    let dbs: Db[];
    before(async () => {
      database = await createDatabase(engine);
      dbs = [openStore('accounts', database), openStore('accounts', database)];
      await migrate(dbs[0] as Db, readMigrations('accounts'), systemClock);
    });
    after(async () => {
      for (const db of dbs) await db.close();
      await database.remove();
    });

    test('every decision and every count, for random sequences of events', async (t) => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(story, (told) => run(dbs, told, (what) => seen.set(what, (seen.get(what) ?? 0) + 1))),
        { numRuns: runs(100, 1_000) },
      );
      t.diagnostic(JSON.stringify(Object.fromEntries([...seen].sort())));
      // A sequence that never reaches a limit would prove nothing.
      for (const what of ['granted', 'rate_limited', 'quota_exceeded', 'uncharged', 'given back']) {
        assert.ok((seen.get(what) ?? 0) > 100, `${what}: ${seen.get(what)}`);
      }
    });
  });
}

/** Runs one sequence with new accounts and keys. */
async function run(
  dbs: readonly Db[],
  { start, terms, steps }: { start: number; terms: [number, number, number, number]; steps: readonly Step[] },
  note: (what: string) => void,
): Promise<void> {
  const clock = testClock(new Date(start).toISOString());
  const meters = dbs.map((db) => createMeter(db, clock));
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
    const { perMinute: requestsPerMinute, perPeriod: monthlyRequests, anchor, end } = model.terms[account] as Terms;
    const plan = { id: 'pro', name: 'Pro', monthlyPriceEur: 29, maxApiKeys: 5 } as const;
    return {
      accountId: accountIds[account] as string,
      keyId: keyIds[key] as string,
      plan: { ...plan, requestsPerMinute, monthlyRequests },
      periodAnchor: anchor,
      periodEnd: end,
    };
  }

  function keep({ receipt }: Decision, { charge }: { charge: Charge | null }): void {
    assert.equal(receipt === null, charge === null);
    if (receipt !== null && charge !== null) open.push({ receipt, charge });
  }

  const visible = ({ outcome, window, quota }: Omit<Decision, 'receipt'>) => ({ outcome, window, quota });

  const work = {
    async take({ meter, asks }: Extract<Step, { do: 'take' }>) {
      const decisions = await Promise.all(asks.map(({ key, charged }) => meterOf(meter).take(callerOf(key), charged)));
      const expected = asks.map(({ key, charged }) => model.take(key, charged, clock.now()));
      assert.deepEqual(decisions.map(visible), expected.map(visible));
      for (const [index, decision] of decisions.entries()) {
        note(asks[index]?.charged ? decision.outcome : 'uncharged');
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
        note('given back');
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
      const usage = await meterOf(account).readUsage(callerOf(KEYS.indexOf(account as 0)));
      assert.deepEqual(structuredClone(usage), model.usage(account, clock.now()));
    }
  }

  const lastUsed = await meterOf(0).readLastUsed(keyIds);
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
    assert.deepEqual(window && { ...window }, model.windows.get(index));
    const days = await db.all<{ day: string; requests: number; lastUsed: number }>(
      'SELECT day, requests, last_used_at AS "lastUsed" FROM usage_daily WHERE key_id = $1',
      [id],
    );
    const stored = days.map(({ day, ...rest }) => [`${index} ${day}`, rest] as const);
    assert.deepEqual(new Map(stored), new Map([...model.days].filter(([name]) => name.startsWith(`${index} `))));
  }
}

/** Sorts granted decisions by what was left, then the denied ones. */
function sorted<T extends Omit<Decision, 'receipt'>>(decisions: readonly T[]): T[] {
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
