import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Db } from '../db/db.ts';
import type { Applier } from './apply.ts';
import { isUnderstood, readEvent } from './events.ts';
import type { Provider } from './provider.ts';
import { findPayload, listSubscriptions, listUnapplied, listUnsettled, type StoredSubscription } from './store.ts';
import { type FindPlanOfPrice, type Reading, type Subscription, sameState } from './subscription.ts';
import { logOutcome } from './webhook.ts';

/** A difference between the stored subscription and the provider's, and what was done about it. */
export interface Difference {
  readonly subscriptionId: string;
  readonly accountId: string | null;
  readonly stored: Facts | null;
  /** Null if the provider does not know the subscription. */
  readonly provider: Facts | null;
  /**
   * `overtaken`: a newer event has changed it. `unknown_price`: its price is not configured, so it cannot be repaired.
   */
  readonly result: 'repaired' | 'would repair' | 'overtaken' | 'unknown_price';
}

export type Facts = Pick<Subscription, 'status' | 'plan' | 'periodStart' | 'periodEnd' | 'cancelAtPeriodEnd'>;

/** Repairs what a crash, a lost event or an unreachable provider has left behind. */
export interface Sync {
  /** Applies events that are stored but not applied, and asks the provider to settle ties between events. */
  recover(): Promise<void>;
  /** Applies a stored event again. Returns undefined if there is no event with this id. */
  replay(eventId: string): Promise<string | undefined>;
  /** Compares every subscription with the provider's and reports the differences; repairs them if `repair` is set. */
  compareAll(options: { repair: boolean }): AsyncIterable<Difference>;
}

export interface SyncOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly provider: Provider;
  readonly planOfPrice: FindPlanOfPrice;
  readonly applier: Applier;
}

/** Newer events are probably still being applied by the webhook. */
const UNAPPLIED_AFTER_MS = 30_000;
const BATCH_SIZE = 100;

export function createSync({ db, clock, log, provider, planOfPrice, applier }: SyncOptions): Sync {
  async function settle(): Promise<void> {
    for (const known of await listUnsettled(db, BATCH_SIZE)) {
      const reading = (await provider.readSubscription(known.id)) ?? goneReading(known);
      // An unknown price says nothing about the plan: keep the stored state and mark it settled.
      const { subscription } = isUnderstood(reading.subscription) ? reading : { subscription: known };
      await applier.applyReading({ ...reading, subscription }, known);
    }
  }

  async function repair(reading: Reading, known: StoredSubscription | undefined, mayWrite: boolean) {
    if (!isUnderstood(reading.subscription)) return known === undefined ? undefined : 'unknown_price';
    if (known !== undefined && sameState(known, reading.subscription)) return undefined;
    if (!mayWrite) return 'would repair';
    const result = await applier.applyReading(reading, known);
    return result === 'written' ? 'repaired' : result === 'overtaken' ? 'overtaken' : undefined;
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
      const payload = await findPayload(db, eventId);
      if (payload === undefined) return undefined;
      return (await applier.applyEvent(readEvent(payload, planOfPrice), { again: true })).outcome;
    },
    async *compareAll({ repair: mayWrite }) {
      if (mayWrite) await settle();
      const stored = new Map((await listSubscriptions(db)).map((known) => [known.id, known]));
      const describe = (known: StoredSubscription | undefined, reading: Reading, isGone = false) => ({
        subscriptionId: reading.subscription.id,
        accountId: known?.accountId ?? reading.subscription.accountId,
        stored: known === undefined ? null : factsOf(known),
        provider: isGone ? null : factsOf(reading.subscription),
      });
      for await (const reading of provider.listAll()) {
        const known = stored.get(reading.subscription.id);
        stored.delete(reading.subscription.id);
        const result = await repair(reading, known, mayWrite);
        if (result !== undefined) yield { ...describe(known, reading), result };
      }
      for (const known of stored.values()) {
        // Not in the list: it was created after the list was read, or the provider does not know it.
        const reading = await provider.readSubscription(known.id);
        const result = await repair(reading ?? goneReading(known), known, mayWrite);
        if (result !== undefined)
          yield { ...describe(known, reading ?? goneReading(known), reading === undefined), result };
      }
    },
  };
}

/** A subscription that the provider does not know has ended, one second after the stored state. */
function goneReading(known: StoredSubscription): Reading {
  return { subscription: { ...known, status: 'canceled' }, asOf: known.asOf + 1 };
}

function factsOf({ status, plan, periodStart, periodEnd, cancelAtPeriodEnd }: Subscription): Facts {
  return { status, plan, periodStart, periodEnd, cancelAtPeriodEnd };
}
