import { createBatch } from '../core/batch.ts';
import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { billingPeriod, minuteWindow, type Span } from '../core/period.ts';
import type { Caller, ReadLastUsed, ReadUsage, ReadUsageByKey } from '../core/usage.ts';
import type { Db, Queries } from '../db/db.ts';
import {
  addDailyUse,
  type DailyUse,
  readDaily,
  readLastUsed,
  readUsed,
  readUsedByKey,
  refundDailyUse,
  refundQuota,
  takeFromQuotas,
  takeFromWindows,
} from './store.ts';

/**
 * Metering: a request passes only when the database has counted it. Requests that arrive together are decided in one
 * transaction, one statement for all their windows and one for all their quotas, so that K allowed means exactly K over threads,
 * processes and machines; what is counted stays counted when the process is killed. This folder owns windows, quotas and daily
 * use; it does not know keys, plans or HTTP.
 */
export interface Meter {
  /**
   * Counts a request in its key's window and, if it is to be charged, in the account's quota. Throws `service_unavailable`
   * when the database does not do so in time; what it does later is given back.
   */
  take(caller: Caller, charged: boolean): Promise<Decision>;
  /** Gives back what a request was charged that got no answer worth it; tried until the database takes it, which is waited
   *  for only for a moment. */
  refund(receipt: Receipt): Promise<void>;
  readonly readUsage: ReadUsage;
  readonly readUsageByKey: ReadUsageByKey;
  readonly readLastUsed: ReadLastUsed;
}

export interface Decision {
  readonly outcome: 'granted' | 'rate_limited' | 'quota_exceeded';
  /** After this request. */
  readonly window: Allowance;
  readonly quota: Allowance;
  /** What was charged, if anything. */
  readonly receipt: Receipt | null;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** When it starts anew, epoch ms. */
  readonly resetsAt: number;
}

export interface Receipt {
  readonly accountId: string;
  readonly keyId: string;
  readonly periodStart: number;
  readonly day: string;
}

interface Take {
  readonly caller: Caller;
  readonly charged: boolean;
  /** Nobody waits for it any more. */
  givenUp: boolean;
}

/** A request is answered within two seconds, whatever the database does. */
const PATIENCE_MS = 1_500;
/** What an answer waits at most for what it gives back. */
const REFUND_WAIT_MS = 500;
/** Requests of one transaction; a statement has five values for each key, and PostgreSQL takes 65 535. */
const MOST_AT_ONCE = 1_000;
const RETRY_MS = 1_000;

export function createMeter(db: Db, clock: Clock): Meter {
  // One transaction at a time: whoever arrives meanwhile shares the next one.
  const takeTogether = createBatch(
    async (takes: readonly Take[]) => {
      const wanted = takes.filter(({ givenUp }) => !givenUp);
      if (wanted.length === 0) return takes.map(() => undefined);
      const decisions = await db.transaction((tx) => decide(tx, wanted, clock.now()));
      if (wanted.length === takes.length) return decisions;
      const decided = new Map(wanted.map((take, index) => [take, decisions[index]]));
      return takes.map((take) => decided.get(take));
    },
    { most: MOST_AT_ONCE, atOnce: 1 },
  );
  const refundBatch = createBatch(
    async (receipts: readonly Receipt[]) => {
      let isCommitting = false;
      try {
        await db.transaction(async (tx) => {
          await returnAll(tx, receipts);
          isCommitting = true;
        });
      } catch (error) {
        // Whether a commit that broke off counts, nobody knows: once more might give back twice, and let in more than K.
        if (!isCommitting) throw error;
      }
      return receipts.map(() => undefined);
    },
    { most: MOST_AT_ONCE, atOnce: 1 },
  );
  /** The caller has waited long enough; what is owed is owed until the database takes it. */
  function refundLater(receipt: Receipt): void {
    setTimeout(() => refundBatch(receipt).catch(() => refundLater(receipt)), RETRY_MS).unref();
  }

  function refund(receipt: Receipt): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, REFUND_WAIT_MS);
      void refundBatch(receipt)
        .catch(() => refundLater(receipt))
        .finally(() => {
          clearTimeout(timer);
          resolve();
        });
    });
  }

  /** Whoever waits behind a transaction that hangs must not wait for that one and then for his own. */
  function take(caller: Caller, charged: boolean): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const mine: Take = { caller, charged, givenUp: false };
      const timer = setTimeout(() => {
        mine.givenUp = true;
        reject(fail('service_unavailable', { cause: new Error('the meter got no answer in time'), retryAfter: 1 }));
      }, PATIENCE_MS);
      takeTogether(mine)
        .finally(() => clearTimeout(timer))
        .then((decision) => {
          if (decision === undefined) return;
          if (!mine.givenUp) resolve(decision);
          else if (decision.receipt !== null) void refund(decision.receipt);
        }, reject);
    });
  }

  return {
    take,
    refund,
    async readUsage(account) {
      const { start, end } = billingPeriod(account, clock.now());
      const limit = account.plan.monthlyRequests;
      const [used, daily] = await Promise.all([
        readUsed(db, account.accountId, start),
        readDaily(db, account.accountId, dayOf(start), dayOf(end - 1)),
      ]);
      return { periodStart: start, periodEnd: end, used, limit, remaining: Math.max(0, limit - used), daily };
    },
    async readUsageByKey(account) {
      const { start, end } = billingPeriod(account, clock.now());
      const used = await readUsedByKey(db, account.accountId, dayOf(start), dayOf(end - 1));
      return new Map(used.map(({ keyId, requests }) => [keyId, requests]));
    },
    async readLastUsed(keyIds) {
      return new Map((await readLastUsed(db, keyIds)).map(({ keyId, at }) => [keyId, at]));
    },
  };
}

/** In the order they came: what is left goes to the first. */
async function decide(tx: Queries, takes: readonly Take[], now: number): Promise<Decision[]> {
  const day = dayOf(now);
  const windows = await takeWindows(tx, takes, minuteWindow(now));
  const quotas = await takeQuotas(tx, takes, windows, now);
  await addDailyUse(tx, sumDailyUse(takes, windows, quotas, day, now));
  return takes.map((take, index) => toDecision(windows[index] as Taken, quotas[index] as TakenQuota, take, day));
}

interface Taken {
  readonly granted: boolean;
  readonly allowance: Allowance;
}

interface TakenQuota extends Taken {
  readonly period: Span;
}

async function takeWindows(tx: Queries, takes: readonly Take[], { start }: Span): Promise<Taken[]> {
  const byKey = Map.groupBy(takes, ({ caller }) => caller.keyId);
  const asks = [...byKey].map(([keyId, asking]) => {
    // Should the plan have changed within a batch, the latest word counts.
    const most = asking.at(-1)?.caller.plan.requestsPerMinute ?? 0;
    return { keyId, minute: start, asked: asking.length, most };
  });
  const taken = await takeFromWindows(
    tx,
    sortBy(asks, ({ keyId }) => keyId),
  );
  const left = new Map(
    taken.map(({ keyId, minute, used, granted }) => [keyId, { minute, before: used - granted, granted }]),
  );
  return takes.map(({ caller }) => {
    const window = left.get(caller.keyId) ?? { minute: start, before: 0, granted: 0 };
    return hand(window, caller.plan.requestsPerMinute, minuteWindow(window.minute).end, true);
  });
}

async function takeQuotas(
  tx: Queries,
  takes: readonly Take[],
  windows: readonly Taken[],
  now: number,
): Promise<TakenQuota[]> {
  // Requests that arrive together are mostly of few callers, and a period takes longer to find than to look up.
  const periods = new Map<Caller, Span>();
  const periodOf = (caller: Caller) => {
    const period = periods.get(caller) ?? billingPeriod(caller, now);
    periods.set(caller, period);
    return period;
  };
  const asking = takes.map(({ caller, charged }, index) => {
    const period = periodOf(caller);
    return {
      caller,
      period,
      asked: charged && windows[index]?.granted ? 1 : 0,
      key: `${caller.accountId} ${period.start}`,
    };
  });
  const asks = [...Map.groupBy(asking, ({ key }) => key).values()].map((group) => {
    const { caller, period } = group.at(-1) as (typeof asking)[0];
    const asked = group.reduce((sum, one) => sum + one.asked, 0);
    return { accountId: caller.accountId, periodStart: period.start, asked, most: caller.plan.monthlyRequests };
  });
  const taken = await takeFromQuotas(
    tx,
    sortBy(asks, ({ accountId, periodStart }) => `${accountId} ${periodStart}`),
  );
  const left = new Map(
    taken.map(({ accountId, periodStart, used, granted }) => [
      `${accountId} ${periodStart}`,
      { before: used - granted, granted },
    ]),
  );
  return asking.map(({ caller, period, asked, key }) => {
    const quota = left.get(key) ?? { before: 0, granted: 0 };
    return { ...hand(quota, caller.plan.monthlyRequests, period.end, asked === 1), period };
  });
}

/** Hands out one of what was granted, if there is one left. */
function hand(left: { before: number; granted: number }, limit: number, resetsAt: number, asks: boolean): Taken {
  const granted = asks && left.granted > 0;
  if (granted) {
    left.before++;
    left.granted--;
  }
  return { granted, allowance: { limit, remaining: Math.max(0, limit - left.before), resetsAt } };
}

function sumDailyUse(
  takes: readonly Take[],
  windows: readonly Taken[],
  quotas: readonly Taken[],
  day: string,
  now: number,
): DailyUse[] {
  const uses = new Map<string, DailyUse>();
  for (const [index, { caller }] of takes.entries()) {
    if (!windows[index]?.granted) continue;
    const { keyId, accountId } = caller;
    const requests = (uses.get(keyId)?.requests ?? 0) + (quotas[index]?.granted ? 1 : 0);
    uses.set(keyId, { keyId, accountId, day, requests, at: now });
  }
  return sortBy([...uses.values()], ({ keyId }) => keyId);
}

function toDecision(window: Taken, quota: TakenQuota, { caller, charged }: Take, day: string): Decision {
  const both = { window: window.allowance, quota: quota.allowance };
  if (!window.granted) return { outcome: 'rate_limited', ...both, receipt: null };
  if (charged && !quota.granted) return { outcome: 'quota_exceeded', ...both, receipt: null };
  const { accountId, keyId } = caller;
  const receipt = charged ? { accountId, keyId, periodStart: quota.period.start, day } : null;
  return { outcome: 'granted', ...both, receipt };
}

async function returnAll(tx: Queries, receipts: readonly Receipt[]): Promise<void> {
  const quotas = Map.groupBy(receipts, ({ accountId, periodStart }) => `${accountId} ${periodStart}`);
  for (const [, [first, ...more]] of sortBy([...quotas], ([key]) => key)) {
    if (first) await refundQuota(tx, first.accountId, first.periodStart, more.length + 1);
  }
  const days = Map.groupBy(receipts, ({ keyId, day }) => `${keyId} ${day}`);
  for (const [, [first, ...more]] of sortBy([...days], ([key]) => key)) {
    if (first) await refundDailyUse(tx, first.keyId, first.day, more.length + 1);
  }
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
