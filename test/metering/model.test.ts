import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../../src/core/clock.ts';
import type { Caller } from '../../src/core/usage.ts';
import type { Db } from '../../src/db/db.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { openStore } from '../../src/db/open.ts';
import type { Receipt } from '../../src/metering/batch.ts';
import type { Decision } from '../../src/metering/decisions.ts';
import { createMeter, type Meter } from '../../src/metering/meter.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase, engines, type TestDatabase } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { readLimits } from '../harness/limits.ts';
import { createCaller } from './meter-store.ts';
import { type Charge, DAY, findPeriod, KEYS, MINUTE, Model, type Terms } from './model.ts';
import { type Step, sequences } from './model-steps.ts';

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
        fc.asyncProperty(sequences, (sequence) =>
          run(dbs, sequence, (what) => seen.set(what, (seen.get(what) ?? 0) + 1)),
        ),
        { numRuns: runs(100, 1_000) },
      );
      t.diagnostic(JSON.stringify(Object.fromEntries([...seen].sort())));
      // A sequence that never reaches a limit would prove nothing.
      for (const what of ['granted', 'rate_limited', 'quota_exceeded', 'uncharged', 'refunded']) {
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
