import { randomUUID } from 'node:crypto';
import type { Db, Queries, Transaction } from '../../base/db/db.ts';
import { minuteWindow } from '../../base/period.ts';
import { findPlan } from '../../base/plans.ts';
import type { Caller } from '../../base/usage.ts';
import {
  type Allowance,
  assignOne,
  type Batch,
  describeAllowance,
  describeQuota,
  groupTakes,
  type QuotaAllowance,
  type Receipt,
  type Share,
  type SharedWindow,
  type Take,
  type WindowShare,
} from './batch.ts';
import {
  addDailyUse,
  COMMIT_MS,
  type RunStatement,
  refundDailyUse,
  refundQuota,
  removeUse,
  type SharedTaken,
  takeAtOnce,
  takeFromQuotas,
  takeFromShared,
  takeFromWindows,
  type WindowTaken,
} from './store.ts';

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

/**
 * Decides about requests in one transaction. The requests are served in order of arrival: the first ones get what is left. On PostgreSQL, nearly all
 * batches take one statement instead of five, each of which would be a round trip.
 */
export async function decide(db: Db, takes: readonly Take[], now: number): Promise<Decision[]> {
  const batch = groupTakes(takes, now);
  if (db.engine === 'postgres' && batch.isPlain)
    return decideAtOnce((sql, params) => db.write(sql, params, { commitTimeoutMs: COMMIT_MS }), batch);
  return db.transaction((tx) => decideInSteps(tx, batch), { commitTimeoutMs: COMMIT_MS });
}

async function decideAtOnce(write: RunStatement, batch: Batch): Promise<Decision[]> {
  const { windows, minute, day, now } = batch;
  const requests = sortByKey(windows).map(({ keyId, accountId, requested, limit, quota, shared }) => {
    const { periodStart, limit: perMonth } = quota;
    const together = { sharedId: shared?.keyId ?? null, sharedPerMinute: shared?.limit ?? 0 };
    return { keyId, accountId, periodStart, requested, perMinute: limit, perMonth, ...together };
  });
  for (const counted of await takeAtOnce(write, requests, { minute, day, at: now })) {
    const { quotaUsed, quotaGranted, sharedMinute, sharedGranted } = counted;
    const window = windows.get(counted.keyId);
    if (window === undefined) continue;
    fillWindow(window, counted);
    if (window.shared !== undefined && sharedMinute !== null && sharedGranted !== null) {
      fillShared(window.shared, { minute: sharedMinute, granted: sharedGranted });
    }
    fillShare(window.quota, quotaUsed, quotaGranted);
  }
  return assignQuotas(batch, assignWindows(batch));
}

/** `used` includes the requests that were granted now. */
function fillShare(share: Share, used: number, granted: number): void {
  share.used = used - granted;
  share.granted = granted;
}

function fillWindow(window: WindowShare, { minute, used, granted, revoked }: WindowTaken): void {
  fillShare(window, used, granted);
  window.isRevoked = revoked === 1;
  window.resetsAt = minuteWindow(minute).end;
}

function fillShared(shared: SharedWindow, { minute, granted }: Omit<SharedTaken, 'keyId'>): void {
  shared.granted = granted;
  shared.resetsAt = minuteWindow(minute).end;
}

async function fillQuotas(tx: Transaction, quotas: Batch['quotas']): Promise<void> {
  for (const { accountId, periodStart, used, granted } of await takeFromQuotas(tx, sortByKey(quotas))) {
    const quota = quotas.get(`${accountId} ${periodStart}`);
    if (quota !== undefined) fillShare(quota, used, granted);
  }
}

async function decideInSteps(tx: Transaction, batch: Batch): Promise<Decision[]> {
  const { takes, terms, windows, shared, quotas, day, now: at } = batch;
  for (const counted of await takeFromWindows(tx, sortByKey(windows))) {
    const window = windows.get(counted.keyId);
    if (window === undefined) continue;
    fillWindow(window, counted);
    if (window.shared !== undefined) window.shared.requested += window.granted;
  }
  const wanted = sortByKey(shared).filter(({ requested }) => requested > 0);
  for (const counted of await takeFromShared(tx, wanted)) {
    const found = shared.get(counted.keyId);
    if (found) fillShared(found, counted);
  }
  const admissions = assignWindows(batch);
  for (const [index, { quota }] of terms.entries())
    if (takes[index]?.charged && admissions[index]?.isAdmitted) quota.requested++;
  // Quotas from which nothing is requested are read in the same statement, because every reply reports them.
  await fillQuotas(tx, quotas);
  const decisions = assignQuotas(batch, admissions);
  const used = sortByKey(windows).filter(({ isUsed }) => isUsed);
  await addDailyUse(
    tx,
    used.map(({ keyId, accountId, charged }) => ({ keyId, accountId, day, requests: charged, at })),
  );
  return decisions;
}

/** The decision about several units of the quota. */
export type UnitsDecision = Pick<Decision, 'quota' | 'receipt'>;

/** Units of the quota that a caller wants. The rate window is not counted. */
interface UnitsRequest {
  readonly caller: Caller;
  readonly units: number;
}

/** Charges several units of the quota: all of them or none. */
export async function decideUnits(db: Db, request: UnitsRequest, now: number): Promise<UnitsDecision> {
  return db.transaction(
    async (tx) => {
      const [{ quota, receipt, granted }] = (await takeUnits(tx, [request], now)) as [UnitsTaken];
      if (granted === request.units) {
        await addUnits(tx, [{ receipt, granted }], now);
        return { quota, receipt };
      }
      if (granted > 0) await refundQuota(tx, receipt.accountId, receipt.periodStart, granted);
      return { quota: { ...quota, remaining: Math.min(quota.limit, quota.remaining + granted) }, receipt: null };
    },
    { commitTimeoutMs: COMMIT_MS },
  );
}

/** How many of the wanted units were granted. */
export interface UnitsTaken {
  readonly granted: number;
  readonly receipt: Receipt;
  readonly quota: QuotaAllowance;
}

/** Charges as many of the units as are left, in the caller's transaction. The callers are of different accounts. */
export async function chargeUnits(
  tx: Transaction,
  requests: readonly UnitsRequest[],
  now: number,
): Promise<UnitsTaken[]> {
  const taken = await takeUnits(tx, requests, now);
  await addUnits(tx, taken, now);
  return taken;
}

async function takeUnits(tx: Transaction, requests: readonly UnitsRequest[], now: number): Promise<UnitsTaken[]> {
  const takes = requests.map(({ caller }) => ({ caller, charged: true }));
  const { terms, quotas } = groupTakes(takes, now);
  for (const [index, { quota }] of terms.entries()) quota.requested = requests[index]?.units ?? 0;
  await fillQuotas(tx, quotas);
  return terms.map(({ quota, quotaResetsAt, receipt }) => {
    const { granted, limit } = quota;
    quota.used += granted;
    return { quota: describeQuota(quota, limit, quotaResetsAt), receipt, granted };
  });
}

type Counted = Pick<UnitsTaken, 'receipt' | 'granted'>;

async function addUnits(tx: Transaction, taken: readonly Counted[], at: number): Promise<void> {
  const counted = taken.filter(({ granted }) => granted > 0);
  const uses = counted.map(({ receipt: { keyId, accountId, day }, granted }) => {
    return { keyId, accountId, day, requests: granted, at };
  });
  await addDailyUse(
    tx,
    sortBy(uses, ({ keyId }) => keyId),
  );
}

/** The decision of the rate windows about a request. */
interface Admission {
  readonly isAdmitted: boolean;
  readonly window: Allowance;
  readonly account: Allowance | null;
}

function assignWindows({ terms }: Batch): Admission[] {
  return terms.map(({ window, caller }) => {
    const { shared } = window;
    const isWithinKey = assignOne(window);
    const isAdmitted = isWithinKey && (shared === undefined || assignOne(shared));
    window.isUsed ||= isAdmitted;
    const account =
      isAdmitted || !isWithinKey || shared === undefined
        ? null
        : { limit: shared.limit, remaining: 0, resetsAt: shared.resetsAt };
    return { isAdmitted, window: describeAllowance(window, caller.plan.requestsPerMinute, window.resetsAt), account };
  });
}

function assignQuotas({ terms, takes }: Batch, admissions: readonly Admission[]): Decision[] {
  return terms.map(({ caller, window, quota, quotaResetsAt, receipt }, index) => {
    const { isAdmitted, window: left, account } = admissions[index] as Admission;
    const isWanted = takes[index]?.charged === true;
    const isCharged = isAdmitted && isWanted && assignOne(quota);
    if (isCharged) window.charged++;
    const outcome = window.isRevoked ? 'revoked' : nameOutcome(isAdmitted, isCharged === isWanted);
    const quotaLeft = describeQuota(quota, caller.plan.monthlyRequests, quotaResetsAt);
    return { outcome, window: left, quota: quotaLeft, account, receipt: isCharged ? receipt : null };
  });
}

function nameOutcome(isAdmitted: boolean, isPaid: boolean): Decision['outcome'] {
  if (!isAdmitted) return 'rate_limited';
  return isPaid ? 'granted' : 'quota_exceeded';
}

/** Units of a charge that are given back. */
export interface Refund {
  readonly receipt: Receipt;
  readonly units: number;
}

/** Refunds with one statement per quota and one per key and day, however many units are refunded. */
export async function refundAll(tx: Queries, refunds: readonly Refund[]): Promise<void> {
  const quotas = Map.groupBy(refunds, ({ receipt }) => `${receipt.accountId} ${receipt.periodStart}`);
  for (const [, group] of sortBy([...quotas], ([key]) => key)) {
    const { accountId, periodStart } = (group[0] as Refund).receipt;
    await refundQuota(tx, accountId, periodStart, sumUnits(group));
  }
  const days = Map.groupBy(refunds, ({ receipt }) => `${receipt.keyId} ${receipt.day}`);
  for (const [, group] of sortBy([...days], ([key]) => key)) {
    const { keyId, day } = (group[0] as Refund).receipt;
    await refundDailyUse(tx, keyId, day, sumUnits(group));
  }
}

function sumUnits(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { units }) => sum + units, 0);
}

/**
 * Runs the statements that count nearly all requests, and removes the rows again. The rows have a random id, so that probes and requests never wait
 * for each other's row locks.
 */
export async function runProbe(db: Db, now: number): Promise<void> {
  const id = `probe:${randomUUID()}`;
  const terms = { plan: findPlan('free'), periodAnchor: null, periodEnd: null };
  const batch = groupTakes([{ caller: { keyId: id, accountId: id, kind: 'api_key', ...terms }, charged: true }], now);
  const [sharedId = ''] = batch.shared.keys();
  await db.transaction(async (tx) => {
    await (db.engine === 'postgres' ? decideAtOnce(tx.all, batch) : decideInSteps(tx, batch));
    await removeUse(tx, id, sharedId);
  });
}

/** The rows in the order of their keys. Rows are always locked in this order, so that two transactions cannot deadlock. */
function sortByKey<T>(rows: ReadonlyMap<string, T>): T[] {
  return rows.size === 1 ? [...rows.values()] : sortBy([...rows], ([key]) => key).map(([, row]) => row);
}

function sortBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
