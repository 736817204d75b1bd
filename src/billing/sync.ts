import type { BillingParts, EventOutcome } from './apply.ts';
import { isUnderstood, readEvent } from './events.ts';
import {
  findPayload,
  listRivals,
  listSubscriptions,
  listUnapplied,
  listUnsettled,
  type StoredSubscription,
} from './store.ts';
import { isLive, type Subscription, sameState } from './subscription.ts';
import { logOutcome } from './webhook.ts';

/** The part of a subscription that reports show. */
export type Facts = Pick<Subscription, 'status' | 'plan' | 'periodStart' | 'periodEnd' | 'cancelAtPeriodEnd'>;

export interface Difference {
  readonly subscriptionId: string;
  readonly accountId: string | null;
  readonly stored: Facts | null;
  /** Null if the provider does not know the subscription. */
  readonly provider: Facts | null;
  /** `unknown_price`: its price is not configured, so it does not say which plan it buys. */
  readonly result: 'differs' | 'unknown_price';
}

/** The outcome, or why the event cannot be applied again: only complete events can. */
type Replayed =
  | { readonly outcome: EventOutcome }
  | { readonly problem: 'unknown' }
  | { readonly problem: 'reduced'; readonly reducedAt: number };

/** Newer events are probably still being applied by the webhook. */
const UNAPPLIED_AFTER_MS = 30_000;
const BATCH_SIZE = 100;

export type Sync = ReturnType<typeof createSync>;

/** Applies what a crash has left behind, and finds events that were lost. A plan changes only by a signed event. */
export function createSync(parts: Omit<BillingParts, 'settings'>) {
  const { db, clock, log, provider, planOfPrice, applier } = parts;

  function compare(found: Subscription, known: StoredSubscription | undefined): Difference | undefined {
    const isKnownPrice = isUnderstood(found);
    const isSame = known === undefined ? !isKnownPrice : isKnownPrice && sameState(known, found);
    if (isSame) return undefined;
    return {
      subscriptionId: found.id,
      accountId: known?.accountId ?? found.accountId,
      stored: known === undefined ? null : factsOf(known),
      provider: factsOf(found),
      result: isKnownPrice ? 'differs' : 'unknown_price',
    };
  }

  /** A subscription that the provider does not know has ended. */
  function compareGone(known: StoredSubscription): Difference | undefined {
    if (!isLive(known)) return undefined;
    const { id: subscriptionId, accountId } = known;
    return { subscriptionId, accountId, stored: factsOf(known), provider: null, result: 'differs' };
  }

  async function* compareAll(): AsyncIterable<Difference> {
    const stored = new Map((await listSubscriptions(db)).map((known) => [known.id, known]));
    for await (const found of provider.listAll()) {
      const difference = compare(found, stored.get(found.id));
      stored.delete(found.id);
      if (difference !== undefined) yield difference;
    }
    for (const known of stored.values()) {
      // Not in the list: it was created after the list was read, or the provider does not know it.
      const found = await provider.readSubscription(known.id);
      const difference = found === undefined ? compareGone(known) : compare(found, known);
      if (difference !== undefined) yield difference;
    }
  }

  return {
    /** Applies events that are stored but not applied, and asks the provider to settle ties between events. */
    async recover(): Promise<void> {
      for (const { payload } of await listUnapplied(db, clock.now() - UNAPPLIED_AFTER_MS, BATCH_SIZE)) {
        const event = readEvent(payload, planOfPrice);
        try {
          const { outcome, duplicate, accountId } = await applier.applyEvent(event);
          if (!duplicate) logOutcome(log, event, outcome, accountId);
        } catch (error) {
          // One failing event must not block the others.
          log.warn({ err: error, event: event.id }, 'a stored payment event could not be applied: will retry');
        }
      }
      // Ties stay open until a provider is configured.
      if (!provider.isConfigured()) return;
      for (const known of await listUnsettled(db, BATCH_SIZE)) {
        const rivals = (await listRivals(db, known)).map(({ payload }) => readEvent(payload, planOfPrice));
        await applier.settle(
          known,
          rivals.filter(({ change }) => change.type === 'subscription' && change.rank === known.eventRank),
        );
      }
    },
    async replay(eventId: string): Promise<Replayed> {
      const stored = await findPayload(db, eventId);
      if (stored === undefined) return { problem: 'unknown' };
      const { payload, reducedAt } = stored;
      if (reducedAt !== null) return { problem: 'reduced', reducedAt };
      const { outcome } = await applier.applyEvent(readEvent(payload, planOfPrice), { again: true });
      return { outcome };
    },
    /** Compares every subscription with the provider's and reports the differences. Changes nothing. */
    compareAll,
    async countDifferences(): Promise<number> {
      let count = 0;
      for await (const _ of compareAll()) count++;
      return count;
    },
  };
}

function factsOf({ status, plan, periodStart, periodEnd, cancelAtPeriodEnd }: Subscription): Facts {
  return { status, plan, periodStart, periodEnd, cancelAtPeriodEnd };
}
