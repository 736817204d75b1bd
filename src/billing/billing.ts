import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { PaidPlanId } from '../core/plans.ts';
import type { ReadBilling } from '../core/usage.ts';
import type { Db } from '../db/db.ts';
import { type BackgroundWork, createBackgroundWork } from '../system/background-work.ts';
import { createApplier } from './apply.ts';
import { type Checkout, createCheckout } from './checkout.ts';
import {
  chooseSubscription,
  type Entitlement,
  isCancelled,
  isEntitling,
  type Known,
  type Terms,
} from './entitlement.ts';
import { createExpiry, type Expiry } from './expiry/expiry.ts';
import { createProvider, type ReadPaymentSettings } from './provider.ts';
import { createRetention, type Retention } from './retention.ts';
import { type EventFilter, listEvents, listSubscriptions, type StoredEvent } from './store.ts';
import { loadStripe } from './stripe-client.ts';
import { isLive } from './subscription.ts';
import { createSync, type Sync } from './sync.ts';
import { createWebhook, type ReceiveEvent } from './webhook.ts';

/**
 * Billing owns subscriptions: it opens the payment provider's pages, applies the provider's events in the right order,
 * and derives the plan of each account. A plan changes by signed events, by the end that a signed event announced, by the
 * provider's own answer about an overdue subscription, and by an operator with `billing sync --apply`.
 * This folder knows nothing about API keys, usage or HTTP.
 */
export interface Billing extends Checkout, Sync, Expiry, Retention, BackgroundWork {
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
  /**
   * Every 30 seconds until `stop`, applies pending events, checks overdue subscriptions, records plans that have ended and
   * reduces old events.
   */
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
  /** How many days a renewal may be late before the provider is asked about it. */
  readonly graceDays: number;
  /** Called after every commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string) => void;
  readonly providerTimeoutMs: number;
  readonly pageTimeoutMs: number;
}

const DAY = 86_400_000;
const BACKGROUND_INTERVAL_MS = 30_000;

export function createBilling(options: BillingOptions): Billing {
  const { db, clock, log, version, settings, keepDays, providerTimeoutMs, pageTimeoutMs } = options;
  const graceMs = options.graceDays * DAY;

  const planOfPrice = (priceId: string): PaidPlanId | undefined => {
    const { prices } = settings() ?? {};
    return (['pro', 'business'] as const).find((plan) => prices?.[plan].includes(priceId));
  };
  const provider = createProvider({ settings, clock, planOfPrice, version, timeoutMs: providerTimeoutMs });
  const applier = createApplier({
    db,
    clock,
    graceMs,
    ask: async (id) => {
      try {
        return await provider.readSubscription(id);
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
  const parts = { db, clock, log, settings, provider, planOfPrice, applier, graceMs };
  const sync = createSync(parts);
  const expiry = createExpiry(parts);
  const retention = createRetention(parts, keepDays);

  async function workInBackground(signal: AbortSignal): Promise<void> {
    const warn = (message: string) => (error: unknown) => log.warn({ err: error }, message);
    await sync.recover().catch(warn('recovery of pending billing events failed: will retry'));
    await expiry.checkOverdue(signal).catch(warn('overdue subscriptions could not be checked: will retry'));
    await expiry.endPlans(signal).catch(warn('plans that have ended could not be recorded: will retry'));
    await retention.reduceOldEvents(signal).catch(warn('old payment events could not be reduced: will retry'));
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
    ...expiry,
    ...retention,
    receive: createWebhook(parts),
    async readBilling(accountId) {
      const terms = { now: clock.now(), graceMs };
      const current = chooseSubscription(await listSubscriptions(db, accountId), terms);
      const paid = current !== undefined && isEntitling(current, terms) ? current : undefined;
      return {
        status: current === undefined ? 'none' : statusAt(current, terms),
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

/** The provider's last status, unless the subscription has ended since and no event has reported that. */
function statusAt(subscription: Known, terms: Terms): string {
  if (!isLive(subscription) || isEntitling(subscription, terms)) return subscription.status;
  return isCancelled(subscription, terms.now) ? 'canceled' : 'unconfirmed';
}
