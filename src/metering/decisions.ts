import { randomUUID } from 'node:crypto';
import { billingPeriod, minuteWindow, type Span } from '../core/period.ts';
import type { Caller } from '../core/usage.ts';
import type { Queries, Transaction } from '../db/db.ts';
import {
  addDailyUse,
  type DailyUse,
  refundDailyUse,
  refundQuota,
  removeUse,
  takeFromQuotas,
  takeFromWindows,
} from './store.ts';

/** Decides about a batch of requests within one transaction. */
export interface Take {
  readonly caller: Caller;
  readonly charged: boolean;
}

export interface Decision {
  readonly outcome: 'granted' | 'rate_limited' | 'quota_exceeded';
  /** The state after this request. */
  readonly window: Allowance;
  readonly quota: Allowance;
  /** What was charged, to refund it; null if nothing was. */
  readonly receipt: Receipt | null;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch ms. */
  readonly resetsAt: number;
}

export interface Receipt {
  readonly accountId: string;
  readonly keyId: string;
  readonly periodStart: number;
  readonly day: string;
}

/** Requests are served in order of arrival: the first ones get what is left. */
export async function decide(tx: Transaction, takes: readonly Take[], now: number): Promise<Decision[]> {
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

async function takeWindows(tx: Transaction, takes: readonly Take[], { start }: Span): Promise<Taken[]> {
  const byKey = Map.groupBy(takes, ({ caller }) => caller.keyId);
  const requests = [...byKey].map(([keyId, group]) => {
    // If the plan changes within a batch, the latest one applies.
    const limit = group.at(-1)?.caller.plan.requestsPerMinute ?? 0;
    return { keyId, minute: start, requested: group.length, limit };
  });
  const taken = await takeFromWindows(
    tx,
    sortBy(requests, ({ keyId }) => keyId),
  );
  const left = new Map(
    taken.map(({ keyId, minute, used, granted }) => [keyId, { minute, before: used - granted, granted }]),
  );
  return takes.map(({ caller }) => {
    const window = left.get(caller.keyId) ?? { minute: start, before: 0, granted: 0 };
    return assignOne(window, caller.plan.requestsPerMinute, minuteWindow(window.minute).end, true);
  });
}

async function takeQuotas(
  tx: Transaction,
  takes: readonly Take[],
  windows: readonly Taken[],
  now: number,
): Promise<TakenQuota[]> {
  // A batch usually has few distinct callers, and computing a period is slower than looking it up.
  const periods = new Map<Caller, Span>();
  const periodOf = (caller: Caller) => {
    const period = periods.get(caller) ?? billingPeriod(caller, now);
    periods.set(caller, period);
    return period;
  };
  const items = takes.map(({ caller, charged }, index) => {
    const period = periodOf(caller);
    return {
      caller,
      period,
      requested: charged && windows[index]?.granted ? 1 : 0,
      key: `${caller.accountId} ${period.start}`,
    };
  });
  const requests = [...Map.groupBy(items, ({ key }) => key).values()].map((group) => {
    const { caller, period } = group.at(-1) as (typeof items)[0];
    const requested = group.reduce((sum, item) => sum + item.requested, 0);
    return { accountId: caller.accountId, periodStart: period.start, requested, limit: caller.plan.monthlyRequests };
  });
  const taken = await takeFromQuotas(
    tx,
    sortBy(requests, ({ accountId, periodStart }) => `${accountId} ${periodStart}`),
  );
  const left = new Map(
    taken.map(({ accountId, periodStart, used, granted }) => [
      `${accountId} ${periodStart}`,
      { before: used - granted, granted },
    ]),
  );
  return items.map(({ caller, period, requested, key }) => {
    const quota = left.get(key) ?? { before: 0, granted: 0 };
    return { ...assignOne(quota, caller.plan.monthlyRequests, period.end, requested === 1), period };
  });
}

/** Assigns one of the granted requests, if any is left. `remaining` is the value right after this request. */
function assignOne(
  left: { before: number; granted: number },
  limit: number,
  resetsAt: number,
  isRequested: boolean,
): Taken {
  const granted = isRequested && left.granted > 0;
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

export async function refundAll(tx: Queries, receipts: readonly Receipt[]): Promise<void> {
  const quotas = Map.groupBy(receipts, ({ accountId, periodStart }) => `${accountId} ${periodStart}`);
  for (const [, [first, ...more]] of sortBy([...quotas], ([key]) => key)) {
    if (first) await refundQuota(tx, first.accountId, first.periodStart, more.length + 1);
  }
  const days = Map.groupBy(receipts, ({ keyId, day }) => `${keyId} ${day}`);
  for (const [, [first, ...more]] of sortBy([...days], ([key]) => key)) {
    if (first) await refundDailyUse(tx, first.keyId, first.day, more.length + 1);
  }
}

/**
 * Writes to every table that counting a request writes to, and removes the rows again. They have a random id, so that probes and
 * requests never wait for each other's row locks.
 */
export async function rehearse(tx: Transaction, now: number): Promise<void> {
  const id = `probe:${randomUUID()}`;
  await takeFromWindows(tx, [{ keyId: id, minute: now, requested: 1, limit: 1 }]);
  await takeFromQuotas(tx, [{ accountId: id, periodStart: now, requested: 1, limit: 1 }]);
  await addDailyUse(tx, [{ keyId: id, accountId: id, day: dayOf(now), requests: 1, at: now }]);
  await removeUse(tx, id);
}

export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** Rows are always locked in the order of their keys, so that two transactions cannot deadlock. */
function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
