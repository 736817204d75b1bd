import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db/db.ts';
import { addMonths, billingPeriod } from '../../base/plans.ts';
import { createBatch, createQueue } from '../../base/system/batch.ts';
import {
  beginWait,
  type Deadline,
  endWait,
  millisecondsLeft,
  startDeadline,
  timedOut,
  within,
} from '../../base/system/deadline.ts';
import { type TimeLimits, timeLimits } from '../../base/system/time-limits.ts';
import {
  type AccountTerms,
  type Caller,
  findUsageWarning,
  type MonthlyUse,
  type Usage,
  type UsageHistory,
} from '../../base/usage.ts';
import {
  chargeUnits,
  type Decision,
  dayOf,
  decide,
  type Receipt,
  type Refund,
  refundAll,
  runProbe,
  type Take,
} from './decisions.ts';
import { COMMIT, findLastUsed, listMonthlyUse, listPeriods, listUse } from './store.ts';

interface TakeCallbacks {
  readonly deadline: Deadline;
  /** Either `decided` or `failed` is called, exactly once. */
  decided(decision: Decision): void;
  failed(error: unknown): void;
}

type UnitsDecision = Pick<Decision, 'quota' | 'receipt'>;

interface PendingTake extends Take {
  abandoned: boolean;
}

/** A statement has five parameters per row, and PostgreSQL allows 65,535 in total. */
const MAX_BATCH_SIZE = 1_000;
const RETRY_MS = 1_000;
/** How long after the deadlines of its callers a transaction still delays the next transaction. */
const RELEASE_MS = 250;
/** How long a counted request proves that requests can be counted. Under load, a probe then costs nothing. */
const PROOF_MS = 100;

const DAY_MS = 86_400_000;
const MIN_HISTORY_DAYS = 30;
/** A month that does not start at midnight covers parts of up to 32 days. */
const MAX_HISTORY_DAYS = 32;

export type Meter = ReturnType<typeof createMeter>;

/**
 * Metering: a request passes only after the database has counted it. Requests that arrive together are decided in one transaction, with one statement
 * for all their rate windows and one for all their quotas. So a limit of K allows exactly K requests across threads, processes and machines, and
 * counts survive a crash. This folder owns rate windows, quotas and daily usage. The meter does not know prices or HTTP, and of API keys only whether
 * they are revoked. docs/decisions/0010-metering.md has the reasons.
 */
export function createMeter(db: Db, clock: Clock, { refundMs }: Pick<TimeLimits, 'refundMs'> = timeLimits) {
  let countedAt = Number.NEGATIVE_INFINITY;
  // Only one transaction runs at a time: requests that arrive meanwhile share the next transaction.
  const queue = createQueue(
    async (takes: readonly PendingTake[]) => {
      const wanted = takes.filter(({ abandoned }) => !abandoned);
      if (wanted.length === 0) return takes.map(() => undefined);
      const deciding = decide(db, wanted, clock.now()).then((decided) => {
        countedAt = performance.now();
        for (const [index, { receipt }] of decided.entries()) {
          if (wanted[index]?.abandoned && receipt !== null) void refund(receipt);
        }
        return decided;
      });
      // After this time, all callers have given up. Later ones do not wait for a transaction that hangs.
      const decisions = await within(startDeadline() + RELEASE_MS, deciding, 'the meter');
      if (wanted.length === takes.length) return decisions;
      const decided = new Map(wanted.map((take, index) => [take, decisions[index]]));
      return takes.map((take) => decided.get(take));
    },
    { maxSize: MAX_BATCH_SIZE, concurrency: 1 },
  );
  const refundBatch = createBatch(
    async (refunds: readonly Refund[]) => {
      let isCommitting = false;
      try {
        await db.transaction(async (tx) => {
          await refundAll(tx, refunds);
          isCommitting = true;
        }, COMMIT);
      } catch (error) {
        // A commit that failed may have been applied. A second refund could allow more than K requests, so a commit is not retried.
        if (!isCommitting) throw error;
      }
      return refunds.map(() => undefined);
    },
    { maxSize: MAX_BATCH_SIZE, concurrency: 1 },
  );

  function refundLater(refund: Refund): void {
    setTimeout(() => refundBatch(refund).catch(() => refundLater(refund)), RETRY_MS).unref();
  }

  async function refund(receipt: Receipt, deadline: Deadline = startDeadline(), units = 1): Promise<void> {
    const due = { receipt, units };
    const refunding = refundBatch(due).catch(() => refundLater(due));
    if (millisecondsLeft(deadline) === 0) return;
    await within(Math.min(deadline, performance.now() + refundMs), refunding, 'a refund').catch(() => undefined);
  }

  /** The deadline covers the wait for the previous transaction as well as for this one. */
  function request({ caller, charged, deadline, decided, failed }: Take & TakeCallbacks): void {
    const pending: PendingTake = { caller, charged, abandoned: false };
    const giveUp = (error: unknown) => {
      if (pending.abandoned) return;
      pending.abandoned = true;
      endWait(waiting);
      failed(error);
    };
    const waiting = beginWait(deadline, () => giveUp(timedOut('the meter')));
    queue({
      item: pending,
      resolve(decision) {
        // Every request gets a decision, unless the caller has given up.
        if (decision === undefined || pending.abandoned) return;
        endWait(waiting);
        decided(decision);
      },
      reject: giveUp,
    });
  }

  return {
    /**
     * Counts a request in the rate window of its key and, if `charged`, in the quota of the account. Throws `service_unavailable` if
     * the database does not answer before the deadline; if the transaction commits later, the charge is refunded.
     */
    take(caller: Caller, charged: boolean, deadline: Deadline = startDeadline()): Promise<Decision> {
      return new Promise((decided, failed) => request({ caller, charged, deadline, decided, failed }));
    },
    /** Charges several units to the quota, all or none. The rate window is counted by `take`, before the cost is known. */
    async takeUnits(caller: Caller, units: number, deadline: Deadline = startDeadline()): Promise<UnitsDecision> {
      const charging = db.transaction((tx) => chargeUnits(tx, [{ caller, units }], clock.now(), true), COMMIT);
      const deciding = charging.then(([taken]) => {
        const { granted, receipt, quota } = taken as NonNullable<typeof taken>;
        return { quota, receipt: granted === units ? receipt : null };
      });
      return within(deadline, deciding, 'the meter').catch((error: unknown) => {
        // If the transaction commits later, the units it took are refunded.
        void deciding.then(
          ({ receipt }) => {
            if (receipt !== null) void refund(receipt, startDeadline(), units);
          },
          () => undefined,
        );
        throw error;
      });
    },
    /** Like `take`, with callbacks instead of a promise. The callbacks must not throw. */
    request,
    /** Refunds units of a charge, and retries until the database accepts it. Resolves at the deadline, and after half a second at the latest. */
    refund,
    /** Resolves if requests can be counted: one was counted a moment ago, or a probe with the same statements has succeeded. */
    async probe(): Promise<void> {
      if (performance.now() - countedAt < PROOF_MS) return;
      await runProbe(db, clock.now());
    },
    async readUsage(account: AccountTerms): Promise<Usage> {
      const { start, end } = billingPeriod(account, clock.now());
      const limit = account.plan.monthlyRequests;
      const [periods, uses] = await Promise.all([
        listPeriods(db, account.accountId, start),
        listUse(db, account.accountId, dayOf(start), dayOf(end - 1)),
      ]);
      const daily = [...Map.groupBy(uses, ({ date }) => date)].map(([date, own]) => {
        return { date, requests: own.reduce((sum, { requests }) => sum + requests, 0) };
      });
      const used = periods.find(({ periodStart }) => periodStart === start)?.used ?? 0;
      const before = periods.find(({ periodStart }) => periodStart < start);
      // The period found may be older than the previous one, which lasts until the current period starts.
      const isPrevious = before !== undefined && before.used > 0 && addMonths(before.periodStart, 1) >= start;
      const previous = isPrevious ? { ...before, periodEnd: start } : null;
      const remaining = Math.max(0, limit - used);
      const warning = findUsageWarning(used, limit);
      return { periodStart: start, periodEnd: end, used, limit, remaining, warning, daily, previous };
    },
    /** The last 30 days, or the days of the current period so far if these are more, and at most 32. */
    async listUseByKey(account: AccountTerms): Promise<UsageHistory> {
      const now = clock.now();
      const days = listDays(billingPeriod(account, now).start, now);
      const counts = await listUse(db, account.accountId, days[0] ?? dayOf(now), dayOf(now));
      return { days, counts: counts.filter(({ requests }) => requests > 0) };
    },
    /** The last twelve months in order, ending with the current one. Months without requests are included. */
    async listMonthlyUse(accountId: string): Promise<MonthlyUse[]> {
      const today = new Date(clock.now());
      const months = Array.from({ length: 12 }, (_, index) =>
        new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11 + index, 1)).toISOString().slice(0, 7),
      );
      const found = new Map((await listMonthlyUse(db, accountId, `${months[0]}-01`)).map((each) => [each.month, each]));
      return months.map((month) => found.get(month) ?? { month, requests: 0 });
    },
    /** The time of the last request of each key, epoch ms. Keys that were never used are missing. */
    async findLastUsed(keyIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
      return new Map((await findLastUsed(db, keyIds)).map(({ keyId, at }) => [keyId, at]));
    },
  };
}

function listDays(periodStart: number, now: number): string[] {
  const today = Math.floor(now / DAY_MS);
  const sincePeriodStart = today - Math.floor(periodStart / DAY_MS) + 1;
  const length = Math.min(MAX_HISTORY_DAYS, Math.max(MIN_HISTORY_DAYS, sincePeriodStart));
  return Array.from({ length }, (_, index) => dayOf((today - length + 1 + index) * DAY_MS));
}
