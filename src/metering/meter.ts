import { createBatch } from '../core/batch.ts';
import type { Clock } from '../core/clock.ts';
import { fail } from '../core/errors.ts';
import { billingPeriod } from '../core/period.ts';
import type { Caller, ReadLastUsed, ReadUsage, ReadUsageByKey } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import { type Decision, dayOf, decide, type Receipt, refundAll, rehearse, type Take } from './decisions.ts';
import { readDaily, readLastUsed, readUsed, readUsedByKey } from './store.ts';

/**
 * Metering: a request passes only after the database has counted it. Requests that arrive together are decided in one transaction,
 * with one statement for all their rate windows and one for all their quotas. So a limit of K allows exactly K requests across
 * threads, processes and machines, and counts survive a crash. This folder owns rate windows, quotas and daily usage. It does not
 * know API keys, prices or HTTP. docs/decisions/0010-metering.md has the reasons.
 */
export interface Meter {
  /**
   * Counts a request in the rate window of its key and, if `charged`, in the quota of the account. Throws `service_unavailable` if
   * the database does not answer in time; if the transaction commits later, the charge is refunded.
   */
  take(caller: Caller, charged: boolean): Promise<Decision>;
  /** Refunds a charge. Resolves after half a second at the latest; the refund is retried until the database accepts it. */
  refund(receipt: Receipt): Promise<void>;
  /** Resolves if requests can be counted: one was counted a moment ago, or the same statements succeed without a trace. */
  probe(): Promise<void>;
  readonly readUsage: ReadUsage;
  readonly readUsageByKey: ReadUsageByKey;
  readonly readLastUsed: ReadLastUsed;
}

interface PendingTake extends Take {
  /** The caller has timed out. */
  abandoned: boolean;
}

/** Leaves half a second of the two seconds within which every request is answered, whatever the database does. */
const TAKE_TIMEOUT_MS = 1_500;
/** How long a response waits for its refund. */
const REFUND_WAIT_MS = 500;
/** A statement has five parameters per row, and PostgreSQL allows 65,535 in total. */
const MAX_BATCH_SIZE = 1_000;
const RETRY_MS = 1_000;
/** How long a counted request proves that requests can be counted. Under load, a probe then costs nothing. */
const PROOF_MS = 100;

export function createMeter(db: Db, clock: Clock): Meter {
  let countedAt = Number.NEGATIVE_INFINITY;
  // One transaction at a time: requests that arrive meanwhile share the next one.
  const takeBatch = createBatch(
    async (takes: readonly PendingTake[]) => {
      const wanted = takes.filter(({ abandoned }) => !abandoned);
      if (wanted.length === 0) return takes.map(() => undefined);
      const decisions = await db.transaction((tx) => decide(tx, wanted, clock.now()));
      countedAt = performance.now();
      if (wanted.length === takes.length) return decisions;
      const decided = new Map(wanted.map((take, index) => [take, decisions[index]]));
      return takes.map((take) => decided.get(take));
    },
    { maxSize: MAX_BATCH_SIZE, concurrency: 1 },
  );
  const refundBatch = createBatch(
    async (receipts: readonly Receipt[]) => {
      let isCommitting = false;
      try {
        await db.transaction(async (tx) => {
          await refundAll(tx, receipts);
          isCommitting = true;
        });
      } catch (error) {
        // A commit that failed may have been applied. A second refund could allow more than K requests, so it is not retried.
        if (!isCommitting) throw error;
      }
      return receipts.map(() => undefined);
    },
    { maxSize: MAX_BATCH_SIZE, concurrency: 1 },
  );

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

  /** The timeout covers the wait for the previous transaction as well as for this one. */
  function take(caller: Caller, charged: boolean): Promise<Decision> {
    return new Promise((resolve, reject) => {
      const pending: PendingTake = { caller, charged, abandoned: false };
      const timer = setTimeout(() => {
        pending.abandoned = true;
        reject(fail('service_unavailable', { cause: new Error('the meter timed out'), retryAfter: 1 }));
      }, TAKE_TIMEOUT_MS);
      takeBatch(pending)
        .finally(() => clearTimeout(timer))
        .then((decision) => {
          if (decision === undefined) return;
          if (!pending.abandoned) resolve(decision);
          else if (decision.receipt !== null) void refund(decision.receipt);
        }, reject);
    });
  }

  return {
    take,
    refund,
    async probe() {
      if (performance.now() - countedAt < PROOF_MS) return;
      await db.transaction((tx) => rehearse(tx, clock.now()));
    },
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
