import { randomUUID } from 'node:crypto';
import type { Db, Queries, Transaction } from '../../base/db/db.ts';
import { billingPeriod, findPlan, minuteWindow, requestsOfAllKeys } from '../../base/plans.ts';
import type { Caller } from '../../base/usage.ts';
import * as store from './store.ts';

export interface Take {
  readonly caller: Caller;
  /** Whether the request also counts in the quota. */
  readonly charged: boolean;
}

export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch ms. */
  readonly resetsAt: number;
}

interface QuotaAllowance extends Allowance {
  /** Epoch ms. */
  readonly startsAt: number;
}

/** Names the rows that a charge has changed, so that the charge can be refunded. */
export interface Receipt {
  readonly accountId: string;
  readonly keyId: string;
  readonly periodStart: number;
  readonly day: string;
}

/**
 * The decision about one request. Each word has one meaning in this folder:
 *
 * - requested: what callers want from a rate window or a quota;
 * - granted: what a statement has taken for them, at most what was left of the limit;
 * - used: what counts against the limit. Granted requests are used once they are assigned to a caller;
 * - admitted: a request that its rate windows let pass;
 * - charged: a request that also took one of the quota. Its receipt can refund it.
 */
export interface Decision {
  readonly outcome: 'granted' | 'rate_limited' | 'quota_exceeded' | 'revoked';
  /** The state of the rate window after this request. */
  readonly window: Allowance;
  readonly quota: QuotaAllowance;
  /** The shared window of all keys of the account, if this window is why the request is rate limited; otherwise null. */
  readonly account: Allowance | null;
  /** Null if nothing was charged. */
  readonly receipt: Receipt | null;
}

interface Terms {
  readonly caller: Caller;
  readonly window: store.KeyWindow;
  readonly quota: store.Quota;
  readonly quotaResetsAt: number;
  readonly receipt: Receipt;
}

/** The requests that are decided together, and the limits that they share. Most batches have few callers, so a request costs one lookup. */
interface Batch {
  readonly now: number;
  readonly day: string;
  readonly takes: readonly Take[];
  /** The terms of each take. */
  readonly terms: readonly Terms[];
  /** By key. */
  readonly windows: ReadonlyMap<string, store.KeyWindow>;
  readonly shared: ReadonlyMap<string, store.Window>;
  /** By account and period. */
  readonly quotas: ReadonlyMap<string, store.Quota>;
  /** Whether every request is charged, and no two keys share a quota. */
  readonly isPlain: boolean;
}

const NOTHING = { limit: 0, requested: 0, used: 0, granted: 0 } as const;

function groupTakes(takes: readonly Take[], now: number): Batch {
  const day = dayOf(now);
  const { start: minute, end: resetsAt } = minuteWindow(now);
  const windows = new Map<string, store.KeyWindow>();
  const quotas = new Map<string, store.Quota>();
  const shared = new Map<string, store.Window>();
  const byCaller = new Map<Caller, Terms>();
  let isPlain = true;

  function addTerms(caller: Caller): Terms {
    const { keyId, accountId, kind } = caller;
    const { start: periodStart, end: quotaResetsAt } = billingPeriod(caller, now);
    const name = `${accountId} ${periodStart}`;
    const known = { window: windows.get(keyId), quota: quotas.get(name) };
    // The batch stays plain if key and quota are both new to it, or belong together.
    if (known.quota === undefined ? known.window !== undefined : known.window?.quota !== known.quota) isPlain = false;
    const quota = quotas.getOrInsertComputed(name, () => ({ ...NOTHING, accountId, periodStart }));
    const window = windows.getOrInsertComputed(keyId, () => {
      const id = `${kind}s:${accountId}`;
      const findShared = () => shared.getOrInsertComputed(id, () => ({ ...NOTHING, keyId: id, minute, resetsAt }));
      const together = kind === undefined ? undefined : findShared();
      const unused = { ...NOTHING, isRevoked: false, isUsed: false, charged: 0 };
      return { ...unused, keyId, accountId, minute, resetsAt, quota, shared: together };
    });
    const terms = { caller, window, quota, quotaResetsAt, receipt: { accountId, keyId, periodStart, day } };
    byCaller.set(caller, terms);
    return terms;
  }

  const terms = takes.map(({ caller, charged }) => {
    const found = byCaller.get(caller) ?? addTerms(caller);
    const { window, quota } = found;
    window.requested++;
    window.limit = caller.plan.requestsPerMinute;
    if (window.shared !== undefined) window.shared.limit = requestsOfAllKeys(caller.plan);
    quota.limit = caller.plan.monthlyRequests;
    isPlain &&= charged;
    return found;
  });
  return { now, day, takes, terms, windows, shared, quotas, isPlain };
}

/**
 * Decides about requests in one transaction. The requests are served in order of arrival: the first ones get what is left. On PostgreSQL, nearly all
 * batches take one statement instead of five, each of which would be a round trip.
 */
export async function decide(db: Db, takes: readonly Take[], now: number): Promise<Decision[]> {
  const batch = groupTakes(takes, now);
  if (db.engine === 'postgres' && batch.isPlain)
    return decideAtOnce((sql, params) => db.write(sql, params, store.COMMIT), batch);
  return db.transaction((tx) => decideInSteps(tx, batch), store.COMMIT);
}

async function decideAtOnce(write: store.RunStatement, batch: Batch): Promise<Decision[]> {
  const { windows, day, now } = batch;
  const { start: minute } = minuteWindow(now);
  for (const counted of await store.takeAtOnce(write, sortByKey(windows), { minute, day, at: now })) {
    const { keyId, quotaUsed, quotaGranted, sharedMinute, sharedGranted } = counted;
    const window = windows.get(keyId);
    if (window === undefined) continue;
    fillWindow(window, counted);
    if (window.shared !== undefined && sharedMinute !== null && sharedGranted !== null)
      fillShared(window.shared, sharedMinute, sharedGranted);
    fillShare(window.quota, quotaUsed, quotaGranted);
  }
  return assignQuotas(batch, assignWindows(batch));
}

async function decideInSteps(tx: Transaction, batch: Batch): Promise<Decision[]> {
  const { takes, terms, windows, shared, quotas, day, now: at } = batch;
  for (const counted of await store.takeFromWindows(tx, sortByKey(windows))) {
    const window = windows.get(counted.keyId);
    if (window === undefined) continue;
    fillWindow(window, counted);
    if (window.shared !== undefined) window.shared.requested += window.granted;
  }
  const wanted = sortByKey(shared).filter(({ requested }) => requested > 0);
  for (const { keyId, minute, granted } of await store.takeFromShared(tx, wanted)) {
    const found = shared.get(keyId);
    if (found) fillShared(found, minute, granted);
  }
  const admissions = assignWindows(batch);
  for (const [index, { quota }] of terms.entries())
    if (takes[index]?.charged && admissions[index]?.isAdmitted) quota.requested++;
  // Quotas from which nothing is requested are read in the same statement, because every reply reports them.
  await fillQuotas(tx, quotas);
  const decisions = assignQuotas(batch, admissions);
  const used = sortByKey(windows).filter(({ isUsed }) => isUsed);
  const uses = used.map(({ keyId, accountId, charged }) => ({ keyId, accountId, day, requests: charged, at }));
  await store.addDailyUse(tx, uses);
  return decisions;
}

/** `used` includes the requests that were granted now. */
function fillShare(share: store.Share, used: number, granted: number): void {
  share.used = used - granted;
  share.granted = granted;
}

function fillWindow(window: store.KeyWindow, { minute, used, granted, revoked }: store.WindowTaken): void {
  fillShare(window, used, granted);
  window.resetsAt = minuteWindow(minute).end;
  window.isRevoked = revoked === 1;
}

function fillShared(shared: store.Window, minute: number, granted: number): void {
  shared.granted = granted;
  shared.resetsAt = minuteWindow(minute).end;
}

async function fillQuotas(tx: Transaction, quotas: Batch['quotas']): Promise<void> {
  for (const { accountId, periodStart, used, granted } of await store.takeFromQuotas(tx, sortByKey(quotas))) {
    const quota = quotas.get(`${accountId} ${periodStart}`);
    if (quota !== undefined) fillShare(quota, used, granted);
  }
}

/** The decision of the rate windows about a request. */
type Admission = Pick<Decision, 'window' | 'account'> & { readonly isAdmitted: boolean };

function assignWindows({ terms }: Batch): Admission[] {
  return terms.map(({ window, caller }) => {
    const { shared } = window;
    const isWithinKey = assignOne(window);
    const isAdmitted = isWithinKey && (shared === undefined || assignOne(shared));
    window.isUsed ||= isAdmitted;
    const isShared = isWithinKey && !isAdmitted && shared !== undefined;
    const account = isShared ? { limit: shared.limit, remaining: 0, resetsAt: shared.resetsAt } : null;
    return { isAdmitted, window: describeShare(window, caller.plan.requestsPerMinute, window.resetsAt), account };
  });
}

function assignQuotas({ terms, takes }: Batch, admissions: readonly Admission[]): Decision[] {
  return terms.map((found, index) => {
    const { window, quota, receipt } = found;
    const { isAdmitted, window: left, account } = admissions[index] as Admission;
    const isWanted = takes[index]?.charged === true;
    const isCharged = isAdmitted && isWanted && assignOne(quota);
    if (isCharged) window.charged++;
    const outcome = window.isRevoked ? 'revoked' : nameOutcome(isAdmitted, isCharged === isWanted);
    return { outcome, window: left, quota: describeQuota(found), account, receipt: isCharged ? receipt : null };
  });
}

function nameOutcome(isAdmitted: boolean, isPaid: boolean): Decision['outcome'] {
  if (!isAdmitted) return 'rate_limited';
  return isPaid ? 'granted' : 'quota_exceeded';
}

/** Assigns one of the granted requests, if any is left. Returns whether a request was assigned. */
function assignOne(share: store.Share): boolean {
  if (share.granted === 0) return false;
  share.used++;
  share.granted--;
  return true;
}

/** Describes the state of a limit after the assigned requests. */
function describeShare({ used }: store.Share, limit: number, resetsAt: number): Allowance {
  return { limit, remaining: Math.max(0, limit - used), resetsAt };
}

function describeQuota({ caller, quota, quotaResetsAt }: Terms): QuotaAllowance {
  return { ...describeShare(quota, caller.plan.monthlyRequests, quotaResetsAt), startsAt: quota.periodStart };
}

/** Units of the quota that a caller wants. The rate window is not counted. */
interface UnitsRequest {
  readonly caller: Caller;
  readonly units: number;
}

interface UnitsTaken {
  readonly granted: number;
  readonly receipt: Receipt;
  readonly quota: QuotaAllowance;
}

/**
 * Charges units of the quota, in the caller's transaction: as many as are left, or all or none if `isWhole`. The callers are of different accounts.
 */
export async function chargeUnits(tx: Transaction, requests: readonly UnitsRequest[], now: number, isWhole = false) {
  const { terms, quotas } = groupTakes(
    requests.map(({ caller }) => ({ caller, charged: true })),
    now,
  );
  for (const [index, { quota }] of terms.entries()) quota.requested = requests[index]?.units ?? 0;
  await fillQuotas(tx, quotas);
  const taken: UnitsTaken[] = [];
  for (const found of terms) {
    const { quota, receipt } = found;
    if (isWhole && quota.granted < quota.requested) {
      await store.refundQuota(tx, receipt.accountId, receipt.periodStart, quota.granted);
      quota.granted = 0;
    }
    quota.used += quota.granted;
    taken.push({ granted: quota.granted, receipt, quota: describeQuota(found) });
  }
  const used = taken.filter(({ granted }) => granted > 0);
  const uses = used.map(({ receipt, granted }) => ({ ...receipt, requests: granted, at: now }));
  await store.addDailyUse(
    tx,
    sortBy(uses, ({ keyId }) => keyId),
  );
  return taken;
}

export interface Refund {
  readonly receipt: Receipt;
  readonly units: number;
}

/** Refunds with one statement per quota and one per key and day, however many units are refunded. */
export async function refundAll(tx: Queries, refunds: readonly Refund[]): Promise<void> {
  const quotas = Map.groupBy(refunds, ({ receipt }) => `${receipt.accountId} ${receipt.periodStart}`);
  for (const group of sortByKey(quotas)) {
    const { accountId, periodStart } = (group[0] as Refund).receipt;
    await store.refundQuota(tx, accountId, periodStart, sumUnits(group));
  }
  const days = Map.groupBy(refunds, ({ receipt }) => `${receipt.keyId} ${receipt.day}`);
  for (const group of sortByKey(days)) {
    const { keyId, day } = (group[0] as Refund).receipt;
    await store.refundDailyUse(tx, keyId, day, sumUnits(group));
  }
}

function sumUnits(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { units }) => sum + units, 0);
}

/** Runs the statements that count nearly all requests, with a random id, so that probes and requests never wait for each other's row locks. */
export async function runProbe(db: Db, now: number): Promise<void> {
  const id = `probe:${randomUUID()}`;
  const terms = { plan: findPlan('free'), periodAnchor: null, periodEnd: null };
  const batch = groupTakes([{ caller: { keyId: id, accountId: id, kind: 'api_key', ...terms }, charged: true }], now);
  const [sharedId = ''] = batch.shared.keys();
  await db.transaction(async (tx) => {
    await (db.engine === 'postgres' ? decideAtOnce(tx.all, batch) : decideInSteps(tx, batch));
    await store.removeUse(tx, id, sharedId);
  });
}

/** The rows in the order of their keys. Rows are always locked in this order, so that two transactions cannot deadlock. */
function sortByKey<T>(rows: ReadonlyMap<string, T>): T[] {
  return rows.size === 1 ? [...rows.values()] : sortBy([...rows], ([key]) => key).map(([, row]) => row);
}

function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
