import { billingPeriod, minuteWindow } from '../../base/period.ts';
import { requestsOfAllKeys } from '../../base/plans.ts';
import type { Caller } from '../../base/usage.ts';

/** A request that is to be counted. */
export interface Take {
  readonly caller: Caller;
  /** Whether the request also counts in the quota. */
  readonly charged: boolean;
}

/** The state of a limit after a request. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Epoch ms. */
  readonly resetsAt: number;
}

export interface QuotaAllowance extends Allowance {
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
 * The requests that are decided together, and the limits that they share. Most batches have few callers, so a request costs one lookup. A window or
 * quota is filled with what the database has granted, and then assigned to the requests one by one.
 */
export interface Batch {
  readonly now: number;
  readonly day: string;
  /** Start of the minute. */
  readonly minute: number;
  readonly takes: readonly Take[];
  /** The terms of each take. */
  readonly terms: readonly Terms[];
  /** The rate window of each key. */
  readonly windows: ReadonlyMap<string, WindowShare>;
  /** The windows that the keys of an account share. */
  readonly shared: ReadonlyMap<string, SharedWindow>;
  /** The quota of each account and period. */
  readonly quotas: ReadonlyMap<string, QuotaShare>;
  /** Whether every request is charged, and no two keys share a quota. */
  readonly isPlain: boolean;
}

/** The limits that apply to the requests of a caller. */
export interface Terms {
  readonly caller: Caller;
  readonly window: WindowShare;
  readonly quota: QuotaShare;
  readonly quotaResetsAt: number;
  readonly receipt: Receipt;
}

export interface Share {
  /** If the plan changes within a batch, the latest limit applies. */
  limit: number;
  requested: number;
  /** Requests that are used. Does not include `granted`. */
  used: number;
  /** Requests that the database has granted and that are not assigned to a request yet. */
  granted: number;
}

export interface WindowShare extends Share {
  readonly keyId: string;
  readonly accountId: string;
  readonly minute: number;
  resetsAt: number;
  /** The quota that the first request of the key counts in. */
  readonly quota: QuotaShare;
  /** Undefined if the account has only this key, as in the portal. */
  readonly shared: SharedWindow | undefined;
  isRevoked: boolean;
  /** Whether any request of the key was admitted. `charged`: how many were also charged to the quota. */
  isUsed: boolean;
  charged: number;
}

/**
 * The window of all API keys of an account, or of all its reconcile links: its limit is that of all keys that the plan allows together. Otherwise a
 * key that replaces a revoked one would have a fresh minute, and an account with more keys than its plan allows more than it pays for.
 */
export interface SharedWindow extends Share {
  /** The id of the window's row, which is not the id of a key. */
  readonly keyId: string;
  readonly minute: number;
  resetsAt: number;
}

interface QuotaShare extends Share {
  readonly accountId: string;
  readonly periodStart: number;
}

const UNUSED = { isRevoked: false, isUsed: false, charged: 0 } as const;

export function groupTakes(takes: readonly Take[], now: number): Batch {
  const day = dayOf(now);
  const { start: minute, end: resetsAt } = minuteWindow(now);
  const windows = new Map<string, WindowShare>();
  const quotas = new Map<string, QuotaShare>();
  const shared = new Map<string, SharedWindow>();
  const byCaller = new Map<Caller, Terms>();
  let isPlain = true;

  function findShared({ kind, accountId }: Caller): SharedWindow | undefined {
    if (kind === undefined) return undefined;
    const keyId = `${kind}s:${accountId}`;
    const found = shared.get(keyId) ?? { limit: 0, requested: 0, used: 0, granted: 0, keyId, minute, resetsAt };
    shared.set(keyId, found);
    return found;
  }

  function addTerms(caller: Caller): Terms {
    const { keyId, accountId } = caller;
    const { start: periodStart, end: quotaResetsAt } = billingPeriod(caller, now);
    const name = `${accountId} ${periodStart}`;
    const nothing = { limit: 0, requested: 0, used: 0, granted: 0 };
    const known = { window: windows.get(keyId), quota: quotas.get(name) };
    const quota = known.quota ?? { ...nothing, accountId, periodStart };
    const window =
      known.window ??
      ({ ...nothing, keyId, accountId, minute, resetsAt, quota, shared: findShared(caller), ...UNUSED } as const);
    // The batch stays plain if key and quota are both new to it, or belong together.
    if (known.quota === undefined ? known.window !== undefined : known.window?.quota !== quota) isPlain = false;
    quotas.set(name, quota);
    windows.set(keyId, window);
    const terms = { caller, window, quota, quotaResetsAt, receipt: { accountId, keyId, periodStart, day } };
    byCaller.set(caller, terms);
    return terms;
  }

  const terms = takes.map(({ caller, charged }) => {
    const found = byCaller.get(caller) ?? addTerms(caller);
    found.window.requested++;
    found.window.limit = caller.plan.requestsPerMinute;
    if (found.window.shared !== undefined) found.window.shared.limit = requestsOfAllKeys(caller.plan);
    found.quota.limit = caller.plan.monthlyRequests;
    isPlain &&= charged;
    return found;
  });
  return { now, day, minute, takes, terms, windows, shared, quotas, isPlain };
}

/** Assigns one of the granted requests, if any is left. Returns whether a request was assigned. */
export function assignOne(share: Share): boolean {
  if (share.granted === 0) return false;
  share.used++;
  share.granted--;
  return true;
}

/** Describes the state of a limit after the assigned requests. */
export function describeAllowance({ used }: Share, limit: number, resetsAt: number): Allowance {
  return { limit, remaining: Math.max(0, limit - used), resetsAt };
}

export function describeQuota(
  share: Share & Pick<QuotaShare, 'periodStart'>,
  limit: number,
  resetsAt: number,
): QuotaAllowance {
  return { ...describeAllowance(share, limit, resetsAt), startsAt: share.periodStart };
}

export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
