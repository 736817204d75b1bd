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
  const batch = groupTakes(takes, now);
  await fillWindows(tx, batch);
  const windows = batch.terms.map(({ window, caller }) =>
    assignOne(window, caller.plan.requestsPerMinute, window.resetsAt),
  );
  for (const [index, { quota }] of batch.terms.entries()) {
    if (windows[index]?.granted && takes[index]?.charged) quota.requested++;
  }
  await fillQuotas(tx, batch);
  const decisions = batch.terms.map((terms, index) => decideOne(terms, windows[index] as Taken, takes[index] as Take));
  await addDailyUse(tx, listDailyUse(batch, now));
  return decisions;
}

/** What the takes of one batch share. Most batches have few callers, so a request costs one lookup. */
interface Batch {
  /** The terms of each take. */
  readonly terms: readonly Terms[];
  readonly windows: ReadonlyMap<string, WindowShare>;
  readonly quotas: ReadonlyMap<string, QuotaShare>;
}

interface Terms {
  readonly caller: Caller;
  readonly window: WindowShare;
  readonly quota: QuotaShare;
  readonly period: Span;
  readonly receipt: Receipt;
}

/** A row of the database, as far as this batch needs it. If the plan changes within a batch, the latest limit applies. */
interface Share {
  limit: number;
  requested: number;
  /** Requests used before those that are still to be assigned. */
  used: number;
  /** Granted requests that are still to be assigned. */
  granted: number;
}

interface WindowShare extends Share {
  readonly keyId: string;
  readonly accountId: string;
  minute: number;
  resetsAt: number;
  /** Whether the window allowed any request, and how many of them the quota allowed. */
  isUsed: boolean;
  charged: number;
}

interface QuotaShare extends Share {
  readonly accountId: string;
  readonly periodStart: number;
}

interface Taken {
  readonly granted: boolean;
  readonly allowance: Allowance;
}

function groupTakes(takes: readonly Take[], now: number): Batch {
  const [day, { start: minute, end: resetsAt }] = [dayOf(now), minuteWindow(now)];
  const windows = new Map<string, WindowShare>();
  const quotas = new Map<string, QuotaShare>();
  const byCaller = new Map<Caller, Terms>();

  function addTerms(caller: Caller): Terms {
    const { keyId, accountId } = caller;
    const period = billingPeriod(caller, now);
    const periodStart = period.start;
    const quotaKey = `${accountId} ${periodStart}`;
    const nothing = { limit: 0, requested: 0, used: 0, granted: 0 };
    const window = windows.get(keyId) ?? { ...nothing, keyId, accountId, minute, resetsAt, isUsed: false, charged: 0 };
    const quota = quotas.get(quotaKey) ?? { ...nothing, accountId, periodStart };
    windows.set(keyId, window);
    quotas.set(quotaKey, quota);
    const terms = { caller, window, quota, period, receipt: { accountId, keyId, periodStart, day } };
    byCaller.set(caller, terms);
    return terms;
  }

  const terms = takes.map(({ caller }) => {
    const found = byCaller.get(caller) ?? addTerms(caller);
    found.window.requested++;
    found.window.limit = caller.plan.requestsPerMinute;
    found.quota.limit = caller.plan.monthlyRequests;
    return found;
  });
  return { terms, windows, quotas };
}

async function fillWindows(tx: Transaction, { windows }: Batch): Promise<void> {
  for (const taken of await takeFromWindows(tx, sortByKey(windows))) {
    const window = windows.get(taken.keyId);
    if (window === undefined) continue;
    window.minute = taken.minute;
    window.resetsAt = minuteWindow(taken.minute).end;
    window.used = taken.used - taken.granted;
    window.granted = taken.granted;
  }
}

/** Quotas from which nothing is requested are read with the others, because every reply reports them. */
async function fillQuotas(tx: Transaction, { quotas }: Batch): Promise<void> {
  for (const taken of await takeFromQuotas(tx, sortByKey(quotas))) {
    const quota = quotas.get(`${taken.accountId} ${taken.periodStart}`);
    if (quota === undefined) continue;
    quota.used = taken.used - taken.granted;
    quota.granted = taken.granted;
  }
}

/** Assigns one of the granted requests, if any is left. `remaining` is the value right after this request. */
function assignOne(share: Share, limit: number, resetsAt: number): Taken {
  const granted = share.granted > 0;
  if (granted) {
    share.used++;
    share.granted--;
  }
  return { granted, allowance: readAllowance(share, limit, resetsAt) };
}

function readAllowance({ used }: Share, limit: number, resetsAt: number): Allowance {
  return { limit, remaining: Math.max(0, limit - used), resetsAt };
}

function decideOne(
  { caller, window, quota, period, receipt }: Terms,
  { granted, allowance }: Taken,
  take: Take,
): Decision {
  const limit = caller.plan.monthlyRequests;
  if (!granted || !take.charged) {
    window.isUsed ||= granted;
    const outcome = granted ? 'granted' : 'rate_limited';
    return { outcome, window: allowance, quota: readAllowance(quota, limit, period.end), receipt: null };
  }
  const taken = assignOne(quota, limit, period.end);
  window.isUsed = true;
  if (taken.granted) window.charged++;
  const outcome = taken.granted ? 'granted' : 'quota_exceeded';
  return { outcome, window: allowance, quota: taken.allowance, receipt: taken.granted ? receipt : null };
}

function listDailyUse({ windows }: Batch, at: number): DailyUse[] {
  const day = dayOf(at);
  return sortByKey(windows).flatMap(({ isUsed, keyId, accountId, charged }) =>
    isUsed ? { keyId, accountId, day, requests: charged, at } : [],
  );
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

/** The rows in the order of their keys. Rows are always locked in this order, so that two transactions cannot deadlock. */
function sortByKey<T>(rows: ReadonlyMap<string, T>): T[] {
  return rows.size === 1 ? [...rows.values()] : sortBy([...rows], ([key]) => key).map(([, row]) => row);
}

function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
