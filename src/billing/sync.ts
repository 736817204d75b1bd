import { randomUUID } from 'node:crypto';
import type { EventOutcome } from './apply.ts';
import { type Facts, factsOf, type RecordedChange } from './changes.ts';
import { isUnderstood, readEvent } from './events.ts';
import type { BillingParts } from './parts.ts';
import {
  findPayload,
  insertOwnEvent,
  listSubscriptions,
  listUnapplied,
  listUnsettled,
  type StoredSubscription,
} from './store.ts';
import { goneReading, type Reading, sameState } from './subscription.ts';
import { logOutcome } from './webhook.ts';

/** A difference between the stored subscription and the provider's. */
export interface Difference {
  readonly subscriptionId: string;
  readonly accountId: string | null;
  readonly stored: Facts | null;
  /** Null if the provider does not know the subscription. */
  readonly provider: Facts | null;
  /** Undefined if its price is not configured: it does not say which plan it buys, so it cannot be applied. */
  readonly reading: Reading | undefined;
  readonly known: StoredSubscription | undefined;
}

/** `overtaken`: a newer event has changed the subscription. `unchanged`: an event has applied the same change. */
export type ApplyResult = 'applied' | 'overtaken' | 'unchanged';

/** Repairs what a crash, a lost event or an unreachable provider has left behind. */
export interface Sync {
  /** Applies events that are stored but not applied, and asks the provider to settle ties between events. */
  recover(): Promise<void>;
  /** Applies a stored event again. */
  replay(eventId: string): Promise<Replayed>;
  /** Compares every subscription with the provider's and reports the differences. Changes nothing. */
  compareAll(): AsyncIterable<Difference>;
  /** Applies a reported difference and records who did it, as an event. */
  applyDifference(difference: Difference, operator: string): Promise<ApplyResult>;
}

/** The outcome, or why the event cannot be applied again: only complete events of the provider can. */
type Replayed =
  | { readonly outcome: EventOutcome }
  | { readonly problem: 'unknown' | 'operator' }
  | { readonly problem: 'reduced'; readonly reducedAt: number };

/** Newer events are probably still being applied by the webhook. */
const UNAPPLIED_AFTER_MS = 30_000;
const BATCH_SIZE = 100;

export function createSync(parts: Omit<BillingParts, 'settings' | 'graceMs'>): Sync {
  const { db, clock, log, provider, planOfPrice, applier } = parts;

  async function settle(): Promise<void> {
    for (const known of await listUnsettled(db, BATCH_SIZE)) {
      const reading = (await provider.readSubscription(known.id)) ?? goneReading(known);
      // An unknown price says nothing about the plan: keep the stored state and mark it settled.
      const { subscription } = isUnderstood(reading.subscription) ? reading : { subscription: known };
      await applier.applyReading({ ...reading, subscription }, known);
    }
  }

  /** Returns undefined if both agree. */
  function compare(reading: Reading, known: StoredSubscription | undefined, isGone = false): Difference | undefined {
    const { subscription } = reading;
    const isApplicable = isUnderstood(subscription);
    const isSame = known === undefined ? !isApplicable : isApplicable && sameState(known, subscription);
    if (isSame) return undefined;
    return {
      subscriptionId: subscription.id,
      accountId: known?.accountId ?? subscription.accountId,
      stored: known === undefined ? null : factsOf(known),
      provider: isGone ? null : factsOf(subscription),
      reading: isApplicable ? reading : undefined,
      known,
    };
  }

  return {
    async recover() {
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
      if (provider.isConfigured()) await settle();
    },
    async replay(eventId) {
      const stored = await findPayload(db, eventId);
      if (stored === undefined) return { problem: 'unknown' };
      const { payload, operator, reducedAt } = stored;
      if (operator !== null) return { problem: 'operator' };
      if (reducedAt !== null) return { problem: 'reduced', reducedAt };
      const { outcome } = await applier.applyEvent(readEvent(payload, planOfPrice), { again: true });
      return { outcome };
    },
    async *compareAll() {
      const stored = new Map((await listSubscriptions(db)).map((known) => [known.id, known]));
      for await (const reading of provider.listAll()) {
        const difference = compare(reading, stored.get(reading.subscription.id));
        stored.delete(reading.subscription.id);
        if (difference !== undefined) yield difference;
      }
      for (const known of stored.values()) {
        // Not in the list: it was created after the list was read, or the provider does not know it.
        const reading = await provider.readSubscription(known.id);
        const difference = compare(reading ?? goneReading(known), known, reading === undefined);
        if (difference !== undefined) yield difference;
      }
    },
    async applyDifference({ reading, known, subscriptionId }, operator) {
      if (reading === undefined) throw new Error('a subscription with an unknown price cannot be applied');
      const { customerId } = reading.subscription;
      const id = `op_${randomUUID()}`;
      const result = await applier.applyReading(reading, known, async (tx, { accountId, before, plans }) => {
        const change: RecordedChange = {
          before: { plan: plans?.before ?? null, subscription: before === undefined ? null : factsOf(before) },
          after: { plan: plans?.after ?? null, subscription: factsOf(reading.subscription) },
        };
        const kind = 'operator.sync';
        const event = {
          id,
          kind,
          operator,
          customerId,
          subscriptionId,
          accountId,
          change: JSON.stringify(change),
        } as const;
        await insertOwnEvent(tx, event, clock.now());
      });
      if (result !== 'written') return result;
      log.warn({ event: id, operator, subscription: subscriptionId }, 'an operator applied the state of the provider');
      return 'applied';
    },
  };
}
