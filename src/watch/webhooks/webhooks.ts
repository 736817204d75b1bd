import type { Clock } from '../../base/clock.ts';
import { changeInBatches } from '../../base/db/batches.ts';
import type { Db, Transaction } from '../../base/db/db.ts';
import { createLease, type Lease, SHORT_LEASE_MS } from '../../base/db/lease.ts';
import type { Log } from '../../base/log.ts';
import type { ResolveName } from '../../base/system/addresses.ts';
import { createPruning } from '../../base/system/background-work.ts';
import type { ReadTerms } from '../../base/usage.ts';
import { createDispatcher } from './delivery/dispatcher.ts';
import { disable } from './delivery/exchange.ts';
import { createSender, type DeliveryOutcome } from './delivery/sender.ts';
import { type DeliveryFigures, deleteDeliveries, findFigures } from './delivery/store.ts';
import { createEndpoints, describeEndpoint, type EndpointOptions, type WebhookEndpoint } from './endpoints.ts';
import { createSealedSecrets } from './secrets.ts';
import { deleteEndpoint, findDeletedEndpoint, findEndpoint, holdDeliveries, listAllEndpoints } from './store.ts';

export interface WebhookOptions extends Pick<EndpointOptions, 'rules' | 'events' | 'hasMonitors'> {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Keys for the secrets of endpoints, 32 bytes each in base64. The first key encrypts. */
  readonly keys: readonly string[];
  readonly timeoutMs: number;
  readonly readTerms: ReadTerms;
  readonly count: (outcome: DeliveryOutcome['kind']) => void;
  readonly resolve?: ResolveName | undefined;
  readonly lease?: Lease | undefined;
}

const DAY = 86_400_000;
const KEPT_DAYS = 30;
const PRUNE_SIZE = 100;
/** How long rows of a deleted endpoint stay: requests in flight are recorded in this time, and refunded if they were not sent. */
const REMOVE_AFTER_MS = 10 * 60_000;

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Webhooks: the endpoints that get the events of monitors, and sending these events, by Standard Webhooks 1.0.0. This folder owns endpoints and
 * deliveries; `monitors/` finds the events. Deliveries are rows of the accounts store (`delivery/`), so that none is lost.
 * docs/decisions/0039-webhooks.md has the reasons.
 */
export function createWebhooks(options: WebhookOptions) {
  const { db, clock, log, keys, rules, timeoutMs, events, resolve, version } = options;
  const { lease = createLease({ db, name: 'webhooks', leaseMs: SHORT_LEASE_MS }) } = options;
  const secrets = keys.length > 0 ? createSealedSecrets(keys) : undefined;
  const sender = createSender({ rules, timeoutMs, resolve });
  const userAgent = `Firmament-Webhooks/${version}`;
  const dispatcher = secrets && createDispatcher({ ...options, secrets, sender, lease, userAgent });

  async function prune(signal?: AbortSignal): Promise<number> {
    const batches = { db, name: 'webhook pruning', size: PRUNE_SIZE, signal };
    const before = clock.now() - KEPT_DAYS * DAY;
    let removed = 0;
    for (const which of ['delivered', 'tests'] as const)
      removed += await changeInBatches(batches, (tx, limit) => deleteDeliveries(tx, which, before, limit));
    await changeInBatches({ ...batches, size: 1 }, removeDeleted);
    return removed;
  }

  /** Removes rows of a deleted endpoint, first deliveries and at last the endpoint itself. Returns 0 if there are none. */
  async function removeDeleted(tx: Transaction): Promise<number> {
    const id = await findDeletedEndpoint(tx, clock.now() - REMOVE_AFTER_MS);
    if (id === undefined) return 0;
    await holdDeliveries(tx);
    const removed = await deleteDeliveries(tx, 'ofEndpoint', id, PRUNE_SIZE);
    if (removed < PRUNE_SIZE) await deleteEndpoint(tx, id);
    return 1;
  }

  const pruning = createPruning(log, 'old deliveries could not be deleted', prune);

  return {
    /** Whether endpoints can be created: the operator has configured a key for their secrets. */
    isOn: secrets !== undefined,
    ...createEndpoints({ ...options, secrets, wake: () => dispatcher?.wake() }),
    /** For operators: the endpoints of all accounts. */
    listAll: async (): Promise<WebhookEndpoint[]> => (await listAllEndpoints(db)).map(describeEndpoint),
    /** For operators: disables an endpoint. Returns whether it was enabled before. */
    disable: (id: string): Promise<boolean> =>
      db.transaction(async (tx) => {
        await holdDeliveries(tx);
        return disable(tx, id, 'operator', clock.now());
      }),
    /** For operators: finds an endpoint of any account. */
    async findAny(id: string): Promise<WebhookEndpoint | undefined> {
      const found = await findEndpoint(db, id);
      return found && describeEndpoint(found);
    },
    findFigures: (): Promise<DeliveryFigures> => findFigures(db),
    step: async (): Promise<void> => dispatcher?.step(),
    /** Removes old deliveries, and the deliveries of deleted endpoints. */
    prune: pruning.prune,
    start() {
      events.onNew(() => dispatcher?.wake());
      dispatcher?.start();
      pruning.start();
    },
    async stop() {
      await Promise.all([dispatcher?.stop(), pruning.stop()]);
      await sender.close();
    },
  };
}
