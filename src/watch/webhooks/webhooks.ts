import { randomUUID } from 'node:crypto';
import { requireFound, requireRoom, takeKey, type WithSecret } from '../../accounts/resources.ts';
import { changeInBatches } from '../../base/db/batches.ts';
import type { Queries, Transaction } from '../../base/db/db.ts';
import { createLease, type Lease, SHORT_LEASE_MS } from '../../base/db/lease.ts';
import { fail } from '../../base/errors.ts';
import { createPruning } from '../../base/system/background-work.ts';
import type { AccountTerms } from '../../base/usage.ts';
import { createDispatcher, type DispatcherOptions } from './delivery/dispatcher.ts';
import { disable } from './delivery/exchange.ts';
import { createSender, type SenderOptions, validateTarget } from './delivery/sender.ts';
import { type DeliveryState, renderPayload } from './events.ts';
import { createSealedSecrets, createWebhookSecret, type SealedSecrets } from './secrets.ts';
import * as store from './store.ts';

export type WebhookDelivery = Omit<store.StoredDelivery, 'payload'> & {
  /** Null until the delivery was sent: before that, its charge may be refunded, and the owner would have read the payload without paying. */
  readonly payload: string | null;
};

type Hidden = 'secret' | 'previousSecret' | 'failing' | 'pausedUntil';
export type WebhookEndpoint = Omit<store.StoredEndpoint, Hidden | 'monitorIds'> & {
  readonly monitorIds: readonly string[] | null;
};

interface NewWebhookEndpoint {
  readonly url: string;
  readonly description?: string | null | undefined;
  readonly monitorIds?: readonly string[] | null | undefined;
}

type WebhookEndpointChange = Partial<NewWebhookEndpoint> & { readonly enabled?: boolean | undefined };

type Shared = 'db' | 'clock' | 'log' | 'events' | 'readTerms' | 'count';
export interface WebhookOptions extends Pick<DispatcherOptions, Shared>, SenderOptions {
  readonly version: string;
  /** Keys for the secrets of endpoints, 32 bytes each in base64. The first key encrypts. Empty if the operator has not configured a key. */
  readonly keys: readonly string[];
  /** Whether the account has all these monitors. */
  readonly hasMonitors: (accountId: string, ids: readonly string[]) => Promise<boolean>;
  readonly lease?: Lease | undefined;
}

const DAY = 86_400_000;
const KEPT_DAYS = 30;
const PRUNE_SIZE = 100;
/** How long rows of a deleted endpoint stay: requests in flight are recorded in this time, and refunded if they were not sent. */
const REMOVE_AFTER_MS = 10 * 60_000;
const TEST_TYPE = 'webhook.test';
/** Tests per endpoint and minute: the owner of an endpoint need not be the owner of its address. */
const [MAX_TESTS, TESTS_MS] = [5, 60_000];
const TOO_MANY_TESTS = `An endpoint gets at most ${MAX_TESTS} tests per minute: wait as long as Retry-After says.`;
const UNKNOWN_MONITOR =
  'monitorIds has an id that is not a monitor of this account: take ids from the list of monitors.';
const UNKNOWN_DELIVERY = 'There is no such delivery: use the id of the last delivery of the page before as "before".';

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Webhooks: the endpoints that get the events of monitors, and sending these events, by Standard Webhooks 1.0.0. This folder owns endpoints and
 * deliveries; `monitors/` finds the events. Deliveries are rows of the accounts store (`delivery/`), so that none is lost.
 * docs/decisions/0039-webhooks.md has the reasons.
 */
export function createWebhooks(options: WebhookOptions) {
  const { db, clock, log, keys, rules, timeoutMs, events, hasMonitors, resolve, version } = options;
  const { lease = createLease({ db, name: 'webhooks', leaseMs: SHORT_LEASE_MS }) } = options;
  const secrets = keys.length > 0 ? createSealedSecrets(keys) : undefined;
  const sender = createSender({ rules, timeoutMs, resolve });
  const userAgent = `Firmament-Webhooks/${version}`;
  const dispatcher = secrets && createDispatcher({ ...options, secrets, sender, lease, userAgent });

  function requireSecrets(): SealedSecrets {
    if (secrets === undefined) throw fail('webhooks_unavailable', { missing: 'WEBHOOK_KEY' });
    return secrets;
  }

  async function findOwn(accountId: string, id: string, tx: Queries = db): Promise<store.StoredEndpoint> {
    const found = await store.findEndpoint(tx, id);
    return requireFound('webhook_endpoint', found?.accountId === accountId && found);
  }

  /** Changes an endpoint of the account under the lock of all deliveries, and returns its new state. */
  async function change(
    accountId: string,
    id: string,
    work: (tx: Transaction, endpoint: store.StoredEndpoint) => Promise<void>,
  ): Promise<WebhookEndpoint> {
    await db.transaction(async (tx) => {
      await store.holdDeliveries(tx);
      await work(tx, await findOwn(accountId, id, tx));
    });
    dispatcher?.wake();
    return describeEndpoint(await findOwn(accountId, id));
  }

  async function validateMonitors(accountId: string, ids: readonly string[] | null | undefined) {
    if (!ids) return ids;
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
    if (await hasMonitors(accountId, wanted)) return JSON.stringify(wanted);
    throw fail('invalid_request', { message: UNKNOWN_MONITOR, field: 'monitors' });
  }

  async function prune(signal?: AbortSignal): Promise<number> {
    const batches = { db, name: 'webhook pruning', size: PRUNE_SIZE, signal };
    const before = clock.now() - KEPT_DAYS * DAY;
    let removed = 0;
    for (const which of ['delivered', 'tests'] as const)
      removed += await changeInBatches(batches, (tx, limit) => store.deleteDeliveries(tx, which, before, limit));
    await changeInBatches({ ...batches, size: 1 }, removeDeleted);
    return removed;
  }

  /** Removes rows of a deleted endpoint, first deliveries and at last the endpoint itself. Returns 0 if there are none. */
  async function removeDeleted(tx: Transaction): Promise<number> {
    const id = await store.findDeletedEndpoint(tx, clock.now() - REMOVE_AFTER_MS);
    if (id === undefined) return 0;
    await store.holdDeliveries(tx);
    const removed = await store.deleteDeliveries(tx, 'ofEndpoint', id, PRUNE_SIZE);
    if (removed < PRUNE_SIZE) await store.deleteEndpoint(tx, id);
    return 1;
  }

  const pruning = createPruning(log, 'old deliveries could not be deleted', prune);

  return {
    /** Whether endpoints can be created: the operator has configured a key for their secrets. */
    isOn: secrets !== undefined,
    /**
     * Throws `invalid_request` for an address that is not allowed or a monitor of another account, `webhook_endpoint_limit_reached`, and
     * `webhooks_unavailable` without a configured key. A second creation with the same idempotency key throws `idempotency_key_reused`.
     */
    async create(
      { accountId, plan }: AccountTerms,
      { url, description = null, monitorIds }: NewWebhookEndpoint,
      key?: string,
    ): Promise<WithSecret<WebhookEndpoint>> {
      const box = requireSecrets();
      const [id, secret, createdAt] = [randomUUID(), createWebhookSecret(), clock.now()];
      const target = validateTarget(url, rules).href;
      const monitors = (await validateMonitors(accountId, monitorIds)) ?? null;
      const settings = { url: target, description, monitorIds: monitors, secret: box.seal(secret, id) };
      const position = await events.last();
      await db.transaction(async (tx) => {
        await takeKey(tx, accountId, { kind: 'webhook_endpoint', id, key, now: createdAt });
        await tx.hold(`webhook endpoints of ${accountId}`, 'exclusive');
        requireRoom('webhook_endpoint', { plan }, (await store.listEndpoints(tx, accountId)).length);
        const state = { position, pausedUntil: 0, failing: 0 } as const;
        await store.endpoints.insert(tx, { id, accountId, ...settings, ...state, createdAt });
      });
      return { ...describeEndpoint(await findOwn(accountId, id)), secret };
    },
    list: async (accountId: string): Promise<WebhookEndpoint[]> =>
      (await store.listEndpoints(db, accountId)).map(describeEndpoint),
    /** This method and the following ones throw `webhook_endpoint_not_found` for an unknown id, and for the id of another account. */
    find: async (accountId: string, id: string): Promise<WebhookEndpoint> =>
      describeEndpoint(await findOwn(accountId, id)),
    /** Missing settings keep their value. An endpoint that is enabled again gets all events that it has missed. */
    async update(accountId: string, id: string, { url, description, monitorIds, enabled }: WebhookEndpointChange) {
      const target = url === undefined ? undefined : validateTarget(url, rules).href;
      const monitors = await validateMonitors(accountId, monitorIds);
      const last = await events.last();
      return change(accountId, id, async (tx, endpoint) => {
        const { position, disabledReason, disabledAt } = endpoint;
        const isOther = monitors !== undefined && monitors !== endpoint.monitorIds;
        const missed = isOther && (await events.ofAccount(accountId, endpoint.monitorIds, position, 1)).events;
        // Old events of monitors that were not chosen must not be sent now that the monitors are chosen.
        const skipsTo = missed && missed.length === 0 ? Math.max(last, position) : undefined;
        const isEnabled = enabled ?? disabledReason === null;
        const state = isEnabled
          ? { disabledReason: null, disabledAt: null }
          : { disabledReason: disabledReason ?? 'owner', disabledAt: disabledAt ?? clock.now() };
        const settings = { url: target, description, monitorIds: monitors, position: skipsTo };
        await store.endpoints.update(tx, { id }, { ...settings, ...state, pausedUntil: 0, failing: 0 });
        if (!isEnabled) await store.endTests(tx, id);
        else if (disabledReason !== null) await store.restartDeliveries(tx, id, clock.now());
      });
    },
    /** Returns a new secret. The previous secret also signs for 24 hours. */
    async rotate(accountId: string, id: string): Promise<WithSecret<WebhookEndpoint>> {
      const secret = createWebhookSecret();
      const sealed = requireSecrets().seal(secret, id);
      const endpoint = await change(accountId, id, async (tx, { secret: previousSecret }) => {
        await store.endpoints.update(tx, { id }, { secret: sealed, previousSecret, previousEndsAt: clock.now() + DAY });
      });
      return { ...endpoint, secret };
    },
    /** Nothing more is sent, and what was sent is not refunded. Rows are removed in the background: there may be many, and some are being sent. */
    remove: (accountId: string, id: string): Promise<void> =>
      db.transaction(async (tx) => {
        await store.holdDeliveries(tx);
        const { disabledReason } = await findOwn(accountId, id, tx);
        await store.endpoints.update(tx, { id }, { deletedAt: clock.now(), disabledReason: disabledReason ?? 'owner' });
      }),
    async listDeliveries(
      accountId: string,
      id: string,
      { state, before, limit }: { state?: DeliveryState | undefined; before?: string | undefined; limit: number },
    ): Promise<WebhookDelivery[]> {
      await findOwn(accountId, id);
      const start = before === undefined ? undefined : await store.findDelivery(db, id, before);
      if (before !== undefined && start === undefined) throw fail('invalid_request', { message: UNKNOWN_DELIVERY });
      return (await store.listDeliveries(db, id, { state, before: start, limit })).map(describeDelivery);
    },
    async findDelivery(accountId: string, id: string, delivery: string): Promise<WebhookDelivery | undefined> {
      await findOwn(accountId, id);
      const found = await store.findDelivery(db, id, delivery);
      return found && describeDelivery(found);
    },
    /** Sends all events after this cursor again, or all stored events if it is undefined. */
    async replay(accountId: string, id: string, cursor: string | undefined): Promise<WebhookEndpoint> {
      const position = cursor === undefined ? 0 : await events.findPosition(cursor);
      return change(accountId, id, async (tx, endpoint) => {
        if (position < endpoint.position) await store.endpoints.update(tx, { id }, { position });
      });
    },
    /** Sends an example once, which costs nothing. Throws `webhook_endpoint_disabled`, and `account_rate_limit_exceeded` after five in a minute. */
    async sendTest(accountId: string, id: string): Promise<WebhookDelivery> {
      requireSecrets();
      const now = clock.now();
      const test = `msg_test_${randomUUID().replaceAll('-', '')}`;
      const data = { entityId: id, message: 'This is a test. Nothing has changed.' };
      const payload = renderPayload({ type: TEST_TYPE, timestamp: new Date(now).toISOString(), data });
      await change(accountId, id, async (tx, { position, disabledReason }) => {
        if (disabledReason !== null) throw fail('webhook_endpoint_disabled');
        const since = now - TESTS_MS;
        const { count, oldestAt } = await store.countTests(tx, accountId, id, since);
        if (count >= MAX_TESTS) {
          const retryAfter = Math.max(1, Math.ceil(((oldestAt ?? 0) - since) / 1_000));
          throw fail('account_rate_limit_exceeded', { message: TOO_MANY_TESTS, retryAfter });
        }
        const row = { id: test, endpointId: id, position, entityId: test, type: TEST_TYPE, payload, units: 0 };
        await store.insertDeliveries(tx, [row], now);
      });
      return describeDelivery((await store.findDelivery(db, id, test)) as store.StoredDelivery);
    },
    listAll: async (): Promise<WebhookEndpoint[]> => (await store.listAllEndpoints(db)).map(describeEndpoint),
    /** For operators: disables an endpoint. Returns whether it was enabled before. */
    disable: (id: string): Promise<boolean> =>
      db.transaction(async (tx) => {
        await store.holdDeliveries(tx);
        return disable(tx, id, 'operator', clock.now());
      }),
    findFigures: (): Promise<store.DeliveryFigures> => store.findFigures(db),
    step: async (): Promise<void> => dispatcher?.step(),
    wake: (): void => dispatcher?.wake(),
    prune: pruning.prune,
    start() {
      dispatcher?.start();
      pruning.start();
    },
    async stop() {
      await Promise.all([dispatcher?.stop(), pruning.stop()]);
      await sender.close();
    },
  };
}

function describeDelivery(stored: store.StoredDelivery): WebhookDelivery {
  const isShown = stored.units === 0 || stored.sentAt !== null || stored.state === 'delivered';
  return { ...stored, payload: isShown ? stored.payload : null };
}

function describeEndpoint(stored: store.StoredEndpoint): WebhookEndpoint {
  const { secret: _secret, previousSecret: _previous, failing: _failing, pausedUntil: _paused, ...shown } = stored;
  return { ...shown, monitorIds: stored.monitorIds === null ? null : JSON.parse(stored.monitorIds) };
}
