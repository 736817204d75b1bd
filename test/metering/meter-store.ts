import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Decision, Receipt } from '../../src/accounts/metering/decisions.ts';
import { createMeter, type Meter } from '../../src/accounts/metering/meter.ts';
import type { Db } from '../../src/base/db/db.ts';
import type { Caller } from '../../src/base/usage.ts';
import { testClock } from '../harness/clock.ts';
import { type Engine, useStore } from '../harness/databases.ts';
import { readLimits } from '../harness/limits.ts';

/** Plan limits and identity of a caller; tests of the meter give only what they check. */
export interface Terms {
  readonly perMinute?: number;
  readonly perPeriod?: number;
  readonly accountId?: string;
  readonly keyId?: string;
  /** Without one, the key has no share in the window of its account. */
  readonly kind?: Caller['kind'];
  readonly maxKeys?: number;
  readonly anchor?: string | null;
  readonly end?: string | null;
}

/** Creates a caller with a new account, a new key and practically no limits, unless `terms` say otherwise. */
export function createCaller(terms: Terms = {}): Caller {
  const { perMinute = 1_000_000, perPeriod = 1_000_000, accountId = randomUUID(), keyId = randomUUID() } = terms;
  const plan = {
    id: 'pro',
    name: 'Pro',
    monthlyPriceEur: 29,
    maxApiKeys: terms.maxKeys ?? 5,
    maxMonitors: 20,
    maxWatchedCompanies: 100,
  } as const;
  return {
    accountId,
    keyId,
    ...(terms.kind && { kind: terms.kind }),
    plan: { ...plan, requestsPerMinute: perMinute, monthlyRequests: perPeriod },
    periodAnchor: terms.anchor ? Date.parse(terms.anchor) : null,
    periodEnd: terms.end ? Date.parse(terms.end) : null,
  };
}

export const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => work(i));
export const takeMany = (meter: Meter, caller: Caller, count: number, charged = true): Promise<Decision[]> =>
  Promise.all(times(count, () => meter.take(caller, charged)));
export const countdown = (from: number): number[] => times(from, (index) => from - 1 - index);
export const outcomes = (decisions: readonly Decision[]) =>
  Object.fromEntries(
    [...Map.groupBy(decisions, ({ outcome }) => outcome)].map(([outcome, { length }]) => [outcome, length]),
  );
export const granted = (decisions: readonly Decision[]) => decisions.filter(({ outcome }) => outcome === 'granted');
export const receiptOf = ({ receipt }: Decision): Receipt => receipt ?? assert.fail('the request was not charged');

/** Opens an accounts store for the tests of the surrounding `describe`, through four handles, as four processes would. */
export function useMeterStore(engine: Engine) {
  const { db, dbs } = useStore(engine, 'accounts', 4);

  const storedQuotas = ({ accountId }: Caller) =>
    db.all<{ start: number; used: number }>(
      'SELECT period_start AS start, used FROM quotas WHERE account_id = $1 ORDER BY period_start',
      [accountId],
    );
  return {
    db,
    dbs,
    storedQuotas,
    storedQuota: async (caller: Caller) => (await storedQuotas(caller)).reduce((sum, { used }) => sum + used, 0),
    storedWindow: ({ keyId }: Caller) =>
      db.one<{ minute: number; used: number }>('SELECT minute, used FROM rate_windows WHERE key_id = $1', [keyId]),
    storedDays: ({ accountId }: Caller) =>
      db.all<{ keyId: string; day: string; requests: number; at: number }>(
        `SELECT key_id AS "keyId", day, requests, last_used_at AS at FROM usage_daily
          WHERE account_id = $1 ORDER BY day, key_id`,
        [accountId],
      ),
    newMeter(start?: string) {
      const clock = testClock(start);
      return { clock, meter: createMeter(db, clock, readLimits()) };
    },
  };
}

/** The database, with `around` called for every transaction, including those of a single statement. */
export function aroundTransactions(db: Db, around: <T>(run: () => Promise<T>) => Promise<T>): Db {
  return {
    ...db,
    transaction: (work, options) => around(() => db.transaction(work, options)),
    write: (sql, params, options) => around(() => db.write(sql, params, options)),
  };
}
