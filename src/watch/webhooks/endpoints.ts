import { randomUUID } from 'node:crypto';
import { requireFound, requireRoom, takeKey, type WithSecret } from '../../accounts/resources.ts';
import type { Clock } from '../../base/clock.ts';
import type { Db, Queries, Transaction } from '../../base/db/db.ts';
import { type Failure, fail } from '../../base/errors.ts';
import type { AccountTerms } from '../../base/usage.ts';
import {
  countTests,
  endTests,
  findDelivery,
  insertDeliveries,
  listDeliveries,
  restartDeliveries,
  type StoredDelivery,
} from './delivery/store.ts';
import { type EventSource, renderPayload } from './events.ts';
import { createWebhookSecret, type SealedSecrets } from './secrets.ts';
import type { DeliveryState } from './states.ts';
import {
  findEndpoint,
  holdDeliveries,
  insertEndpoint,
  listEndpoints,
  markEndpointDeleted,
  moveEndpoint,
  rotateSecret,
  type StoredEndpoint,
  updateEndpoint,
} from './store.ts';
import { type TargetRules, validateTarget } from './target.ts';

export type WebhookDelivery = Omit<StoredDelivery, 'payload'> & {
  /** Null until the delivery was sent: before that, its charge may be refunded, and the owner would have read the payload without paying. */
  readonly payload: string | null;
};

export type WebhookEndpoint = Omit<
  StoredEndpoint,
  'secret' | 'previousSecret' | 'monitorIds' | 'failing' | 'pausedUntil'
> & {
  readonly monitorIds: readonly string[] | null;
};

export interface NewWebhookEndpoint {
  readonly url: string;
  readonly description?: string | null | undefined;
  readonly monitorIds?: readonly string[] | null | undefined;
}

export type WebhookEndpointChange = Partial<NewWebhookEndpoint> & { readonly enabled?: boolean | undefined };

export interface DeliveryPage {
  readonly state?: DeliveryState | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface EndpointOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** Undefined if the operator has not configured a key. */
  readonly secrets: SealedSecrets | undefined;
  readonly rules: TargetRules;
  readonly events: EventSource;
  /** Whether the account has all these monitors. */
  readonly hasMonitors: (accountId: string, ids: readonly string[]) => Promise<boolean>;
  /** Called after a change that may make deliveries due. */
  readonly wake: () => void;
}

const ROTATION_MS = 86_400_000;
const TEST_TYPE = 'webhook.test';
/** Tests per endpoint and minute: the owner of an endpoint need not be the owner of its address. */
const [MAX_TESTS, TESTS_MS] = [5, 60_000];
const UNKNOWN_MONITOR =
  'monitorIds has an id that is not a monitor of this account: take ids from the list of monitors.';

/** The operations that owners of endpoints use. */
export function createEndpoints(options: EndpointOptions) {
  const { db, clock, secrets, rules, events, hasMonitors, wake } = options;

  function requireSecrets(): SealedSecrets {
    if (secrets === undefined) throw fail('webhooks_unavailable', { missing: 'WEBHOOK_KEY' });
    return secrets;
  }

  async function findOwn(accountId: string, id: string, tx: Queries = db): Promise<StoredEndpoint> {
    const found = await findEndpoint(tx, id);
    return requireFound('webhook_endpoint', found?.accountId === accountId && found);
  }

  /** Changes an endpoint of the account under its lock. */
  function underLock(
    accountId: string,
    id: string,
    work: (tx: Transaction, endpoint: StoredEndpoint) => Promise<void>,
  ): Promise<void> {
    return db.transaction(async (tx) => {
      await holdDeliveries(tx);
      await work(tx, await findOwn(accountId, id, tx));
    });
  }

  /** Changes an endpoint like `underLock`, and returns its new state. */
  async function change(...given: Parameters<typeof underLock>): Promise<WebhookEndpoint> {
    await underLock(...given);
    wake();
    const [accountId, id] = given;
    return describeEndpoint(await findOwn(accountId, id));
  }

  /** Whether there are events for this endpoint that have no deliveries yet. */
  async function hasEvents({ accountId, monitorIds, position }: StoredEndpoint): Promise<boolean> {
    return (await events.ofAccount(accountId, monitorIds, position, 1)).length > 0;
  }

  async function validateMonitors(accountId: string, ids: readonly string[] | null): Promise<string | null> {
    if (ids === null) return null;
    const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
    if (await hasMonitors(accountId, wanted)) return JSON.stringify(wanted);
    throw fail('invalid_request', { message: UNKNOWN_MONITOR, field: 'monitors' });
  }

  return {
    /**
     * Throws `invalid_request` for an address that is not allowed or a monitor of another account, `webhook_endpoint_limit_reached`, and
     * `webhooks_unavailable` without a configured key. A second creation with the same idempotency key throws `idempotency_key_reused`.
     */
    async create(
      { accountId, plan }: AccountTerms,
      { url, description = null, monitorIds = null }: NewWebhookEndpoint,
      key?: string,
    ): Promise<WithSecret<WebhookEndpoint>> {
      const box = requireSecrets();
      const [target, monitors] = [validateTarget(url, rules).href, await validateMonitors(accountId, monitorIds)];
      const [id, secret] = [randomUUID(), createWebhookSecret()];
      const position = await events.last();
      const sealed = box.seal(secret, id);
      const stored = { id, accountId, url: target, description, monitorIds: monitors, secret: sealed, position };
      await db.transaction(async (tx) => {
        await takeKey(tx, accountId, { kind: 'webhook_endpoint', id, key, now: clock.now() });
        await tx.hold(`webhook endpoints of ${accountId}`, 'exclusive');
        requireRoom('webhook_endpoint', { plan }, (await listEndpoints(tx, accountId)).length);
        await insertEndpoint(tx, { ...stored, createdAt: clock.now() });
      });
      return { ...describeEndpoint(await findOwn(accountId, id)), secret };
    },
    list: async (accountId: string): Promise<WebhookEndpoint[]> =>
      (await listEndpoints(db, accountId)).map(describeEndpoint),
    /** This method and the following ones throw `webhook_endpoint_not_found` for an unknown id, and for the id of another account. */
    find: async (accountId: string, id: string): Promise<WebhookEndpoint> =>
      describeEndpoint(await findOwn(accountId, id)),
    /** Missing settings keep their value. An endpoint that is enabled again gets all events that it has missed. */
    async update(
      accountId: string,
      id: string,
      { url, description, monitorIds, enabled }: WebhookEndpointChange,
    ): Promise<WebhookEndpoint> {
      const target = url === undefined ? undefined : validateTarget(url, rules).href;
      const monitors = monitorIds === undefined ? undefined : await validateMonitors(accountId, monitorIds);
      const last = await events.last();
      return change(accountId, id, async (tx, endpoint) => {
        const isOther = monitors !== undefined && monitors !== endpoint.monitorIds;
        // Events of monitors that were not chosen did not move the endpoint. Now that these may be chosen, their old events must not be sent.
        if (isOther && !(await hasEvents(endpoint))) await moveEndpoint(tx, id, Math.max(last, endpoint.position));
        const isEnabled = enabled ?? endpoint.disabledReason === null;
        await updateEndpoint(tx, {
          id,
          url: target ?? endpoint.url,
          description: description === undefined ? endpoint.description : description,
          monitorIds: monitors === undefined ? endpoint.monitorIds : monitors,
          disabledReason: isEnabled ? null : (endpoint.disabledReason ?? 'owner'),
          disabledAt: isEnabled ? null : (endpoint.disabledAt ?? clock.now()),
        });
        if (!isEnabled) await endTests(tx, id);
        else if (endpoint.disabledReason !== null) await restartDeliveries(tx, id, clock.now());
      });
    },
    /** Returns a new secret. The previous secret also signs for 24 hours. */
    async rotate(accountId: string, id: string): Promise<WithSecret<WebhookEndpoint>> {
      const box = requireSecrets();
      const secret = createWebhookSecret();
      const endpoint = await change(accountId, id, (tx) =>
        rotateSecret(tx, id, box.seal(secret, id), clock.now() + ROTATION_MS),
      );
      return { ...endpoint, secret };
    },
    // There may be very many deliveries, and some are being sent: deliveries are removed in the background.
    /** Nothing more is sent. Charges for events that were sent are not refunded. */
    remove: (accountId: string, id: string): Promise<void> =>
      underLock(accountId, id, (tx) => markEndpointDeleted(tx, id, clock.now())),
    /** Lists deliveries, the newest first. Throws `invalid_request` if there is no delivery `before`. */
    async listDeliveries(
      accountId: string,
      id: string,
      { state, before, limit }: DeliveryPage,
    ): Promise<WebhookDelivery[]> {
      await findOwn(accountId, id);
      const start = before === undefined ? undefined : await findDelivery(db, id, before);
      if (before !== undefined && start === undefined) {
        const message = 'There is no such delivery: use the id of the last delivery of the page before as "before".';
        throw fail('invalid_request', { message });
      }
      return (await listDeliveries(db, id, { state, before: start, limit })).map(describeDelivery);
    },
    /** Undefined if the endpoint has no such delivery. */
    async findDelivery(accountId: string, id: string, delivery: string): Promise<WebhookDelivery | undefined> {
      await findOwn(accountId, id);
      const found = await findDelivery(db, id, delivery);
      return found && describeDelivery(found);
    },
    /** Sends all events after this cursor again, or all stored events if it is undefined. */
    async replay(accountId: string, id: string, cursor: string | undefined): Promise<WebhookEndpoint> {
      const position = cursor === undefined ? 0 : await events.findPosition(cursor);
      return change(accountId, id, async (tx, endpoint) => {
        if (position < endpoint.position) await moveEndpoint(tx, id, position);
      });
    },
    /**
     * Sends an example once, which costs nothing. Throws `webhook_endpoint_disabled`, and `account_rate_limit_exceeded` after five in a
     * minute.
     */
    async sendTest(accountId: string, id: string): Promise<WebhookDelivery> {
      requireSecrets();
      const delivery = { id: `msg_test_${randomUUID().replaceAll('-', '')}`, endpointId: id, units: 0 };
      const data = { entityId: id, message: 'This is a test. Nothing has changed.' };
      const timestamp = new Date(clock.now()).toISOString();
      const payload = renderPayload({ type: TEST_TYPE, timestamp, data });
      await underLock(accountId, id, async (tx, { position, disabledReason }) => {
        if (disabledReason !== null) throw fail('webhook_endpoint_disabled');
        const since = clock.now() - TESTS_MS;
        const { count, oldestAt } = await countTests(tx, { accountId, endpointId: id, since });
        if (count >= MAX_TESTS) throw tooManyTests(Math.max(1, Math.ceil(((oldestAt ?? 0) - since) / 1_000)));
        const row = { ...delivery, position, entityId: delivery.id, type: TEST_TYPE, payload };
        await insertDeliveries(tx, [row], clock.now());
      });
      wake();
      return describeDelivery((await findDelivery(db, id, delivery.id)) as StoredDelivery);
    },
  };
}

function describeDelivery(stored: StoredDelivery): WebhookDelivery {
  const isShown = stored.units === 0 || stored.sentAt !== null || stored.state === 'delivered';
  return { ...stored, payload: isShown ? stored.payload : null };
}

function tooManyTests(retryAfter: number): Failure {
  const message = `An endpoint gets at most ${MAX_TESTS} tests per minute: wait as long as Retry-After says.`;
  return fail('account_rate_limit_exceeded', { message, retryAfter });
}

export function describeEndpoint(stored: StoredEndpoint): WebhookEndpoint {
  const { secret: _secret, previousSecret: _previous, failing: _failing, pausedUntil: _paused, ...shown } = stored;
  return { ...shown, monitorIds: stored.monitorIds === null ? null : JSON.parse(stored.monitorIds) };
}
