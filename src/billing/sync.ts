import type { BillingParts } from './apply.ts';
import { type EventOutcome, isUnderstood, parseEvent } from './events.ts';
import { findPayload, listSubscriptions, listUnapplied, listUnsettled, type StoredSubscription } from './store.ts';
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
  /** `unknown_price`: the price of the subscription is not configured, so its plan is not known. */
  readonly result: 'differs' | 'unknown_price';
}

/** The outcome, or why the event cannot be applied again: a reduced event has no payload. */
type Replayed =
  | { readonly outcome: EventOutcome }
  | { readonly problem: 'unknown' }
  | { readonly problem: 'reduced'; readonly reducedAt: number };

/** The webhook is probably still applying newer events. */
const UNAPPLIED_AFTER_MS = 30_000;
const BATCH_SIZE = 100;

export type Sync = ReturnType<typeof createSync>;

/** Applies events that were stored before a crash, and finds events that were lost. A plan changes only by a signed event. */
export function createSync(parts: Omit<BillingParts, 'settings'>) {
  const { db, clock, log, provider, planOfPrice, applier } = parts;

  async function* compareAll(): AsyncIterable<Difference> {
    const stored = new Map((await listSubscriptions(db)).map((known) => [known.id, known]));
    for await (const found of provider.listAll()) {
      yield* compare(stored.get(found.id), found);
      stored.delete(found.id);
    }
    // A subscription is not in the list if it was created after the list was read, or if the provider does not know it.
    for (const known of stored.values()) yield* compare(known, await provider.findSubscription(known.id));
  }

  return {
    /** Applies events that are stored but not applied, and asks the provider to settle ties between events. */
    async recover(): Promise<void> {
      for (const { payload } of await listUnapplied(db, clock.now() - UNAPPLIED_AFTER_MS, BATCH_SIZE)) {
        const event = parseEvent(payload, planOfPrice);
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
      for (const known of await listUnsettled(db, BATCH_SIZE)) await applier.settle(known);
    },
    async replay(eventId: string): Promise<Replayed> {
      const stored = await findPayload(db, eventId);
      if (stored === undefined) return { problem: 'unknown' };
      const { payload, reducedAt } = stored;
      if (reducedAt !== null) return { problem: 'reduced', reducedAt };
      const { outcome } = await applier.applyEvent(parseEvent(payload, planOfPrice), { again: true });
      return { outcome };
    },
    /** Compares every stored subscription with the provider's and reports the differences. Changes nothing. */
    compareAll,
    countDifferences: async (): Promise<number> => (await Array.fromAsync(compareAll())).length,
  };
}

/** The difference between the stored state of a subscription and the provider's. An empty list if the two agree. */
function compare(known: StoredSubscription | undefined, found: Subscription | undefined): Difference[] {
  const subscription = found ?? known;
  if (subscription === undefined || agree(known, found)) return [];
  return [
    {
      subscriptionId: subscription.id,
      accountId: known?.accountId ?? subscription.accountId,
      stored: factsOf(known),
      provider: factsOf(found),
      result: found === undefined || isUnderstood(found) ? 'differs' : 'unknown_price',
    },
  ];
}

/** A subscription that the provider does not know agrees with a stored one that has ended. */
function agree(known: StoredSubscription | undefined, found: Subscription | undefined): boolean {
  if (found === undefined) return known === undefined || !isLive(known);
  return known === undefined ? !isUnderstood(found) : isUnderstood(found) && sameState(known, found);
}

function factsOf(subscription: Subscription | undefined): Facts | null {
  if (subscription === undefined) return null;
  const { status, plan, periodStart, periodEnd, cancelAtPeriodEnd } = subscription;
  return { status, plan, periodStart, periodEnd, cancelAtPeriodEnd };
}
