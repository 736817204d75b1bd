import { randomUUID } from 'node:crypto';
import { factsOf, type RecordedChange } from '../changes.ts';
import { isCancelled } from '../entitlement.ts';
import { isUnderstood } from '../events.ts';
import type { BillingParts } from '../parts.ts';
import type { Provider } from '../provider.ts';
import { insertOwnEvent, type OwnEvent, type StoredSubscription } from '../store.ts';
import { goneReading, type Reading } from '../subscription.ts';
import { nextCheckAt } from './schedule.ts';
import { listEndedPlans, listOverdue, scheduleCheck } from './store.ts';

/**
 * Ends plans on time, even if events were lost. Readers of an account already apply its end (`plan_ends_at`); this part
 * asks the provider about subscriptions that were not renewed, and records plans that have ended. It runs in the
 * background, never in a request.
 */
export interface Expiry {
  /** Asks the provider about overdue subscriptions and stores its answers. Stops early when the signal is aborted. */
  checkOverdue(signal?: AbortSignal): Promise<void>;
  /** Moves accounts whose plan has ended to the free plan, or to their next best subscription, and records it. */
  endPlans(signal?: AbortSignal): Promise<void>;
}

const BATCH_SIZE = 20;
const PRICE_NOT_CONFIGURED =
  'an overdue subscription keeps its plan: its price is not configured, see STRIPE_PRICE_PRO and STRIPE_PRICE_BUSINESS';
/** Calls to the provider at the same time. Its rate limit is shared with customers who open checkout pages. */
const CONCURRENCY = 4;

export function createExpiry(
  parts: Pick<BillingParts, 'db' | 'clock' | 'log' | 'applier' | 'graceMs'> & {
    readonly provider: Pick<Provider, 'isConfigured' | 'readSubscription'>;
  },
): Expiry {
  const { db, clock, log, provider, applier, graceMs } = parts;

  /**
   * Takes a batch and schedules its next checks at once, so that other machines leave it alone and a failed call needs no
   * further write.
   */
  async function takeOverdue(): Promise<StoredSubscription[]> {
    return db.transaction(async (tx) => {
      if (!(await tx.claim('billing checks'))) return [];
      const now = clock.now();
      const overdue = await listOverdue(tx, now, BATCH_SIZE);
      for (const each of overdue) await scheduleCheck(tx, each.id, nextCheckAt(each, { now, graceMs }));
      return overdue;
    });
  }

  function ownEvent(kind: OwnEvent['kind'], accountId: string | null, change: RecordedChange, of?: StoredSubscription) {
    const ids = { customerId: of?.customerId ?? null, subscriptionId: of?.id ?? null, accountId };
    return { id: `srv_${randomUUID()}`, kind, operator: 'server', ...ids, change: JSON.stringify(change) };
  }

  async function store(reading: Reading, known: StoredSubscription): Promise<void> {
    const { subscription } = reading;
    if (!isUnderstood(subscription)) {
      log.warn({ subscription: known.id }, PRICE_NOT_CONFIGURED);
    }
    // An unknown price does not say which plan it buys: the stored plan is confirmed.
    const answer = isUnderstood(subscription) ? reading : { ...reading, subscription: known };
    const result = await applier.applyReading(answer, known, async (tx, { accountId, before, plans }) => {
      const change: RecordedChange = {
        before: { plan: plans?.before ?? null, subscription: before === undefined ? null : factsOf(before) },
        after: { plan: plans?.after ?? null, subscription: factsOf(answer.subscription) },
      };
      await insertOwnEvent(tx, ownEvent('server.check', accountId, change, known), clock.now());
    });
    if (result !== 'written') return;
    const { status } = answer.subscription;
    log.warn(
      { subscription: known.id, status },
      'an event was lost: the state of an overdue subscription was read from the provider',
    );
  }

  async function endPlan(accountId: string): Promise<void> {
    let ended: { readonly reason: RecordedChange['reason']; readonly event: string } | undefined;
    await applier.refreshAccount(accountId, async (tx, { before, after, subscription }) => {
      const now = clock.now();
      const facts = subscription === undefined ? null : factsOf(subscription);
      const reason = subscription !== undefined && isCancelled(subscription, now) ? 'cancelled' : 'unconfirmed';
      const event = ownEvent(
        'server.expiry',
        accountId,
        { before: { plan: before, subscription: facts }, after: { plan: after, subscription: facts }, reason },
        subscription,
      );
      await insertOwnEvent(tx, event, now);
      ended = { reason, event: event.id };
    });
    if (ended?.reason === 'cancelled') log.info({ accountId, ...ended }, 'a cancelled plan has ended');
    else if (ended !== undefined) {
      log.warn(
        { accountId, ...ended },
        'a paid plan has ended: the provider could not be asked whether it was renewed',
      );
    }
  }

  return {
    async checkOverdue(signal) {
      for (;;) {
        const overdue = await takeOverdue();
        let isDown = !provider.isConfigured();
        const check = async (known: StoredSubscription): Promise<void> => {
          const reading = isDown ? undefined : await ask(known);
          if (reading !== undefined) return store(reading, known);
          // After the first failure, the rest of the batch is not asked: every call would wait for its time-out.
          isDown = true;
          if (known.accountId !== null) await endPlan(known.accountId);
        };
        await forEachOf(overdue, CONCURRENCY, check);
        if (overdue.length < BATCH_SIZE || isDown || signal?.aborted === true) return;
      }
    },
    async endPlans(signal) {
      for (;;) {
        const ended = await listEndedPlans(db, clock.now(), BATCH_SIZE);
        for (const { accountId } of ended) await endPlan(accountId);
        if (ended.length < BATCH_SIZE || signal?.aborted === true) return;
      }
    },
  };

  /** Returns undefined if the provider cannot be reached. */
  async function ask(known: StoredSubscription): Promise<Reading | undefined> {
    try {
      return (await provider.readSubscription(known.id)) ?? goneReading(known);
    } catch (error) {
      const fields = { err: error, subscription: known.id };
      log.warn(fields, 'the provider could not be asked about an overdue subscription: will retry');
      return undefined;
    }
  }
}

/** Runs the work for all items, at most `concurrency` at the same time. */
async function forEachOf<T>(items: readonly T[], concurrency: number, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
