import { changeInBatches } from '../base/db/batches.ts';
import type { PaidPlanId } from '../base/plans.ts';
import { createBackgroundWork, reportTo } from '../base/system/background-work.ts';
import type { BillingState } from '../base/usage.ts';
import { type BillingParts, createApplier } from './apply.ts';
import { chooseSubscription, type Entitlement, isLive } from './events.ts';
import { createCheckout, createProvider, loadStripe } from './provider.ts';
import { type EventFilter, listEvents, listSubscriptions, reduceEvents, type StoredEvent } from './store.ts';
import { createSync, createWebhook } from './webhook.ts';

export interface BillingOptions extends Pick<BillingParts, 'db' | 'clock' | 'log' | 'settings'> {
  readonly version: string;
  readonly keepDays: number;
  /** Called after every commit that changed the entitlement of an account. */
  readonly onChange: (accountId: string) => void;
  /** Called after every comparison with the provider's subscriptions. */
  readonly onCompared: (differences: number) => void;
  readonly providerTimeoutMs: number;
  readonly pageTimeoutMs: number;
}

const BACKGROUND_INTERVAL_MS = 30_000;
/** One comparison takes a call per 100 subscriptions, so it runs only once per hour. */
const COMPARE_INTERVAL_MS = 3_600_000;

export type Billing = ReturnType<typeof createBilling>;

/**
 * Billing owns subscriptions: it opens the payment provider's pages, applies the provider's events in the right order, and derives the plan of each
 * account. A plan changes only after a signed event. This folder knows nothing about API keys, usage or HTTP.
 */
export function createBilling(options: BillingOptions) {
  const { db, clock, log, version, settings, keepDays, providerTimeoutMs, pageTimeoutMs } = options;

  const planOfPrice = (priceId: string): PaidPlanId | undefined => {
    const { prices } = settings() ?? {};
    return (['pro', 'business'] as const).find((plan) => prices?.[plan].includes(priceId));
  };
  const provider = createProvider({ settings, planOfPrice, version, timeoutMs: providerTimeoutMs });
  const applier = createApplier({
    db,
    clock,
    planOfPrice,
    ask: (id) =>
      provider.findSubscription(id).then(
        (found) => found ?? null,
        (error: unknown) => {
          const fields = { err: error, subscription: id };
          log.warn(fields, 'the provider could not be asked which of two events is newer: will retry');
          return undefined;
        },
      ),
    onChange(accountId, { plan }: Entitlement) {
      log.info({ accountId, plan }, 'plan changed');
      options.onChange(accountId);
    },
  });
  const parts = { db, clock, log, settings, provider, planOfPrice, applier };
  const sync = createSync(parts);
  const reduceOldEvents = createRetention(parts, keepDays);

  let comparedAt = Number.NEGATIVE_INFINITY;

  /** Compares when the interval has passed. A server that has just started compares at once, so that its metric appears. */
  async function compareSometimes(): Promise<void> {
    const now = performance.now();
    if (!provider.isConfigured() || now < comparedAt + COMPARE_INTERVAL_MS) return;
    comparedAt = now;
    options.onCompared(await sync.countDifferences());
  }

  async function workInBackground(signal: AbortSignal): Promise<void> {
    await sync.recover().catch(reportTo(log, 'recovery of pending billing events failed'));
    await reduceOldEvents(signal).catch(reportTo(log, 'old payment events could not be reduced'));
    await compareSometimes().catch(reportTo(log, 'subscriptions could not be compared with the provider'));
  }

  return {
    /** Whether plans can be bought: the provider and at least one price are configured. */
    isOn(): boolean {
      const { pro = [], business = [] } = settings()?.prices ?? {};
      return provider.isConfigured() && pro.length + business.length > 0;
    },
    /** Loads the provider's SDK, which takes 180 ms of processor time. Servers do so before they listen, because no request is answered meanwhile. */
    async load(): Promise<void> {
      if (provider.isConfigured()) await loadStripe();
    },
    ...createCheckout(parts, pageTimeoutMs),
    ...sync,
    reduceOldEvents,
    receive: createWebhook(parts),
    /** The state of an account's subscription, as last reported by the provider. */
    async readBilling(accountId: string): Promise<BillingState> {
      const current = chooseSubscription(await listSubscriptions(db, accountId));
      const paid = current !== undefined && isLive(current) ? current : undefined;
      return {
        status: current?.status ?? 'none',
        currentPeriodEnd: paid?.periodEnd ?? null,
        cancelAtPeriodEnd: paid?.cancelAtPeriodEnd ?? false,
        // The portal opens for every account: an account that is not a customer yet becomes one.
        portalAvailable: provider.isConfigured(),
      };
    },
    listEvents: (filter: EventFilter): Promise<StoredEvent[]> => listEvents(db, filter),
    ...createBackgroundWork(BACKGROUND_INTERVAL_MS, workInBackground),
  };
}

const DAY = 86_400_000;
/** A transaction holds the write lock of SQLite: for 5 ms with payloads of 5 KB, and for 50 ms if all have the maximum size of 512 KiB. */
const BATCH_SIZE = 50;

/**
 * Returns a function that removes the payloads of old events, which may contain names and addresses of people: until the signal is aborted, every
 * event that is applied and older than WEBHOOK_DAYS is reduced to its id, kind, times and outcome. The function returns the number of reduced events.
 */
export function createRetention({ db, clock, log }: Pick<BillingParts, 'db' | 'clock' | 'log'>, keepDays: number) {
  return async (signal?: AbortSignal): Promise<number> => {
    const events = await changeInBatches({ db, name: 'billing retention', size: BATCH_SIZE, signal }, (tx, limit) =>
      reduceEvents(tx, clock.now() - keepDays * DAY, limit, clock.now()),
    );
    if (events > 0) log.info({ events }, 'payloads of old payment events removed');
    return events;
  };
}
