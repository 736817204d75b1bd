import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { PaidPlanId } from '../core/plans.ts';
import type { ReadBilling } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import { type BackgroundWork, createBackgroundWork } from '../system/background-work.ts';
import { createApplier } from './apply.ts';
import { type Checkout, createCheckout } from './checkout.ts';
import { chooseSubscription, type Entitlement } from './entitlement.ts';
import { createProvider, type ReadPaymentSettings } from './provider.ts';
import { createRetention, type Retention } from './retention.ts';
import { type EventFilter, listEvents, listSubscriptions, type StoredEvent } from './store.ts';
import { loadStripe } from './stripe-client.ts';
import { isLive } from './subscription.ts';
import { createSync, type Sync } from './sync.ts';
import { createWebhook, type ReceiveEvent } from './webhook.ts';

/**
 * Billing owns subscriptions: it opens the payment provider's pages, applies the provider's events in the right order,
 * and derives the plan of each account. A plan changes only after a signed event.
 * This folder knows nothing about API keys, usage or HTTP.
 */
export interface Billing extends Checkout, Sync, Retention, BackgroundWork {
  /** Whether plans can be bought: the provider and at least one price are configured. */
  isOn(): boolean;
  /**
   * Loads the provider's SDK if a provider is configured. That takes 180 ms of processor time, in which a server answers nothing, so
   * servers do it before they listen.
   */
  load(): Promise<void>;
  readonly receive: ReceiveEvent;
  readonly readBilling: ReadBilling;
  listEvents(filter: EventFilter): Promise<StoredEvent[]>;
  /** Until `stop`, applies pending events and reduces old ones every 30 seconds, and counts differences every hour. */
  start(): void;
}

export interface BillingOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly settings: ReadPaymentSettings;
  /** How many days payloads of events are kept. */
  readonly keepDays: number;
  /** Called after every commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string) => void;
  /** Called after every comparison with the provider's subscriptions. */
  readonly onCompared: (differences: number) => void;
  readonly providerTimeoutMs: number;
  readonly pageTimeoutMs: number;
}

const BACKGROUND_INTERVAL_MS = 30_000;
/** The provider returns 100 subscriptions per call. */
const COMPARE_INTERVAL_MS = 3_600_000;

export function createBilling(options: BillingOptions): Billing {
  const { db, clock, log, version, settings, keepDays, providerTimeoutMs, pageTimeoutMs } = options;

  const planOfPrice = (priceId: string): PaidPlanId | undefined => {
    const { prices } = settings() ?? {};
    return (['pro', 'business'] as const).find((plan) => prices?.[plan].includes(priceId));
  };
  const provider = createProvider({ settings, planOfPrice, version, timeoutMs: providerTimeoutMs });
  const applier = createApplier({
    db,
    clock,
    ask: async (id) => {
      try {
        return (await provider.readSubscription(id)) ?? null;
      } catch (error) {
        log.warn(
          { err: error, subscription: id },
          'the provider could not be asked which of two events is newer: will retry',
        );
        return undefined;
      }
    },
    onChange(accountId, { plan }: Entitlement) {
      log.info({ accountId, plan }, 'plan changed');
      options.onChange(accountId);
    },
  });
  const parts = { db, clock, log, settings, provider, planOfPrice, applier };
  const sync = createSync(parts);
  const retention = createRetention(parts, keepDays);

  let comparedAt = Number.NEGATIVE_INFINITY;

  /** A server that has just started compares at once, so that its metric appears. */
  async function compareSometimes(): Promise<void> {
    const now = performance.now();
    if (!provider.isConfigured() || now < comparedAt + COMPARE_INTERVAL_MS) return;
    comparedAt = now;
    options.onCompared(await sync.countDifferences());
  }

  async function workInBackground(signal: AbortSignal): Promise<void> {
    const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
    await sync.recover().catch(warn('recovery of pending billing events failed: will retry'));
    await retention.reduceOldEvents(signal).catch(warn('old payment events could not be reduced: will retry'));
    await compareSometimes().catch(warn('subscriptions could not be compared with the provider: will retry'));
  }

  return {
    isOn() {
      const { pro = [], business = [] } = settings()?.prices ?? {};
      return provider.isConfigured() && pro.length + business.length > 0;
    },
    async load() {
      if (provider.isConfigured()) await loadStripe();
    },
    ...createCheckout(parts, pageTimeoutMs),
    ...sync,
    ...retention,
    receive: createWebhook(parts),
    async readBilling(accountId) {
      const current = chooseSubscription(await listSubscriptions(db, accountId));
      const paid = current !== undefined && isLive(current) ? current : undefined;
      return {
        status: current?.status ?? 'none',
        currentPeriodEnd: paid?.periodEnd ?? null,
        cancelAtPeriodEnd: paid?.cancelAtPeriodEnd ?? false,
        // The portal opens for every account: one that is not a customer yet becomes one.
        portalAvailable: provider.isConfigured(),
      };
    },
    listEvents: (filter) => listEvents(db, filter),
    ...createBackgroundWork(BACKGROUND_INTERVAL_MS, workInBackground),
  };
}
