import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { Failure } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { ReadTerms } from '../../core/usage.ts';
import type { Db } from '../../db/db.ts';
import type { Lease } from '../../db/lease.ts';
import { type BackgroundWork, createBackgroundWork } from '../../system/background-work.ts';
import { createBatch } from '../../system/batch.ts';
import type { EventSource } from '../events.ts';
import type { SealedSecrets } from '../sealed-secrets.ts';
import { signMessage } from '../signature.ts';
import { listReadyEndpoints, type StoredEndpoint } from '../store.ts';
import { claimDeliveries } from './claim.ts';
import { createFanOut } from './fan-out.ts';
import type { DeliveryOutcome } from './outcome.ts';
import { type Finished, recordAnswers } from './record.ts';
import type { Sender } from './sender.ts';
import type { StoredDelivery } from './store.ts';

/**
 * Creates deliveries from events and sends them. Of a cluster, one process does it at a time, under a lease. What is sent is not
 * marked in the database: a process that takes over sends again what the other one may have sent, with the same id.
 */
export interface Dispatcher extends BackgroundWork {
  /** Does now what can be done, and resolves when all that was sent is answered and recorded. */
  step(): Promise<void>;
  /** Looks for new work at once, instead of within a second. */
  wake(): void;
}

export interface DispatcherOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: Lease;
  readonly events: EventSource;
  readonly secrets: SealedSecrets;
  readonly sender: Sender;
  readonly readTerms: ReadTerms;
  readonly userAgent: string;
  /** Called for each attempt. */
  readonly count: (outcome: DeliveryOutcome['kind']) => void;
}

const POLL_MS = 1_000;
/** Requests to one endpoint at the same time. An endpoint whose last attempt failed gets one, so that it binds few connections. */
const MAX_PER_ENDPOINT = 8;
/** Requests of the process at the same time. */
const MAX_IN_FLIGHT = 2_000;
const MAX_RECORDED = 100;
/** How long an account without quota waits before it is tried again: it may have upgraded. */
const PAUSE_MS = 60_000;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, clock, log, lease, events, secrets, sender, readTerms, userAgent, count } = options;
  const addDeliveries = createFanOut({ db, clock, events });
  const record = createBatch((finished: readonly Finished[]) => recordAnswers(db, finished), {
    maxSize: MAX_RECORDED,
    concurrency: 1,
  });
  /** The ids of the deliveries of each endpoint that are being sent. */
  const inFlight = new Map<string, Set<string>>();
  const sending = new Set<Promise<void>>();
  /** Until when accounts without quota, and endpoints that cannot be signed for, are left alone. */
  const pauses = new Map<string, number>();
  let wakeUp = () => {};

  const isPaused = (id: string) => (pauses.get(id) ?? 0) > clock.now();

  /** Returns how many were started. */
  async function startDeliveries(endpoint: StoredEndpoint, signal: AbortSignal): Promise<number> {
    const { id, accountId, failing } = endpoint;
    const own = inFlight.get(id) ?? new Set<string>();
    const room = Math.min((failing === 1 ? 1 : MAX_PER_ENDPOINT) - own.size, MAX_IN_FLIGHT - sending.size);
    // A transaction charges for several: the next ones follow when half of the requests are answered.
    if (room <= 0 || own.size > MAX_PER_ENDPOINT / 2 || isPaused(accountId) || isPaused(id)) return 0;
    const terms = await readTerms(accountId);
    if (terms === undefined) return 0;
    const now = clock.now();
    const { deliveries, quotaResetsAt } = await claimDeliveries(db, id, { terms, inFlight: own, room, now });
    if (quotaResetsAt === null) pauses.delete(accountId);
    else pauses.set(accountId, Math.min(quotaResetsAt, now + PAUSE_MS));
    for (const delivery of deliveries) {
      inFlight.set(id, own.add(delivery.id));
      const work = deliver(endpoint, delivery, signal).finally(() => {
        own.delete(delivery.id);
        if (own.size === 0) inFlight.delete(id);
        sending.delete(work);
        wakeUp();
      });
      sending.add(work);
    }
    return deliveries.length;
  }

  async function deliver(endpoint: StoredEndpoint, delivery: StoredDelivery, signal: AbortSignal): Promise<void> {
    const headers = signHeaders(endpoint, delivery);
    if (headers === undefined) return;
    const answer = await sender.send(endpoint.url, headers, delivery.payload, signal);
    // It is not known whether the receiver got it. The next process with the lease sends it again.
    if (answer.status === null && signal.aborted) return;
    const finished = { endpoint, delivery, answer, at: clock.now() };
    for (;;) {
      try {
        count(await record(finished));
        return;
      } catch (error) {
        report(error, 'the answer to a webhook could not be recorded: will retry');
        if (signal.aborted) return;
        await sleep(POLL_MS, undefined, { ref: false });
      }
    }
  }

  function signHeaders(endpoint: StoredEndpoint, { id, payload }: StoredDelivery): Record<string, string> | undefined {
    const { secret, previousSecret, previousEndsAt } = endpoint;
    const now = clock.now();
    const sealed = previousSecret !== null && (previousEndsAt ?? 0) > now ? [secret, previousSecret] : [secret];
    try {
      const keys = sealed.map((each) => secrets.unseal(each, endpoint.id));
      const timestamp = Math.floor(now / 1_000);
      return {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signMessage({ id, timestamp, body: payload }, keys),
      };
    } catch (error) {
      log.warn({ err: error, endpoint: endpoint.id }, 'webhooks of an endpoint cannot be signed: check WEBHOOK_KEY');
      pauses.set(endpoint.id, now + PAUSE_MS);
      return undefined;
    }
  }

  async function pass(signal: AbortSignal): Promise<number> {
    await addDeliveries(signal);
    let started = 0;
    for (const endpoint of await listReadyEndpoints(db, clock.now())) {
      if (signal.aborted) break;
      started += await startDeliveries(endpoint, signal);
    }
    return started;
  }

  /** The log already says that the database is down. */
  function report(error: unknown, message: string): void {
    if (!(error instanceof Failure && error.code === 'service_unavailable')) log.warn({ err: error }, message);
  }

  async function run(stop: AbortSignal, lost: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stop, lost]);
    signal.addEventListener('abort', () => wakeUp(), { once: true });
    while (!signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wakeUp = resolve;
      await pass(signal).catch((error: unknown) => report(error, 'webhooks could not be sent: will retry'));
      const timer = setTimeout(resolve, POLL_MS).unref();
      if (!signal.aborted) await promise;
      clearTimeout(timer);
    }
    await Promise.all(sending);
  }

  return {
    async step() {
      const { signal } = new AbortController();
      while ((await pass(signal)) > 0) await Promise.all(sending);
    },
    wake: () => wakeUp(),
    ...createBackgroundWork(POLL_MS, async (stop) => {
      await lease
        .hold((lost) => run(stop, lost))
        .catch((error: unknown) => report(error, 'webhooks could not be sent'));
    }),
  };
}
