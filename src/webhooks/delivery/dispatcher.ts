import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { Failure } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { AccountTerms, ReadTerms } from '../../core/usage.ts';
import type { Db } from '../../db/db.ts';
import type { Lease } from '../../db/lease.ts';
import { type BackgroundWork, createBackgroundWork } from '../../system/background-work.ts';
import { createBatch } from '../../system/batch.ts';
import type { EventSource } from '../events.ts';
import type { SealedSecrets } from '../sealed-secrets.ts';
import { signMessage } from '../signature.ts';
import { listReadyEndpoints, type StoredEndpoint } from '../store.ts';
import { claimDeliveries, type Ready } from './claim.ts';
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
/** Requests of the process at the same time. Above the first limit, an endpoint gets one, and only if it has none: those that hang leave room. */
const [MANY_IN_FLIGHT, MAX_IN_FLIGHT] = [1_000, 2_000];
/** Endpoints whose deliveries one transaction charges. */
const MAX_CLAIMED = 50;
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

  function findRoom(failing: 0 | 1, own: number, planned: number): number {
    // A transaction charges for several: the next ones follow when half of the requests are answered.
    if (own > MAX_PER_ENDPOINT / 2) return 0;
    const left = MANY_IN_FLIGHT - sending.size - planned;
    const room = Math.min((failing === 1 ? 1 : MAX_PER_ENDPOINT) - own, left);
    return own === 0 && left > MANY_IN_FLIGHT - MAX_IN_FLIGHT ? Math.max(1, room) : room;
  }

  /** The endpoints that something may be sent to now. */
  async function listReady(): Promise<Ready[]> {
    const known = new Map<string, AccountTerms | undefined>();
    const ready: Ready[] = [];
    let planned = 0;
    for (const { id, accountId, failing } of await listReadyEndpoints(db, clock.now())) {
      const own = inFlight.get(id) ?? new Set<string>();
      const room = findRoom(failing, own.size, planned);
      if (room <= 0 || isPaused(accountId) || isPaused(id)) continue;
      if (!known.has(accountId)) known.set(accountId, await readTerms(accountId));
      const terms = known.get(accountId);
      if (terms === undefined) continue;
      ready.push({ id, terms, inFlight: own, room });
      planned += room;
    }
    return ready;
  }

  /** Returns how many were started. */
  async function startDeliveries(ready: readonly Ready[], signal: AbortSignal): Promise<number> {
    const now = clock.now();
    const { deliveries, quotaResets } = await claimDeliveries(db, ready, now);
    for (const { terms } of ready) pauses.delete(terms.accountId);
    for (const [accountId, resetsAt] of quotaResets) pauses.set(accountId, Math.min(resetsAt, now + PAUSE_MS));
    for (const { endpoint, delivery } of deliveries) {
      const { id } = endpoint;
      const own = inFlight.get(id) ?? new Set<string>();
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

  /** Does what can be done now. Returns whether there may be more at once. */
  async function pass(signal: AbortSignal): Promise<{ readonly started: number; readonly hasMore: boolean }> {
    const hasMore = await addDeliveries(signal);
    const ready = await listReady();
    let started = 0;
    for (let at = 0; at < ready.length && !signal.aborted; at += MAX_CLAIMED) {
      started += await startDeliveries(ready.slice(at, at + MAX_CLAIMED), signal);
    }
    return { started, hasMore };
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
      const done = await pass(signal).catch((error: unknown) =>
        report(error, 'webhooks could not be sent: will retry'),
      );
      if (done?.hasMore === true) continue;
      const timer = setTimeout(resolve, POLL_MS).unref();
      if (!signal.aborted) await promise;
      clearTimeout(timer);
    }
    await Promise.all(sending);
  }

  return {
    async step() {
      const { signal } = new AbortController();
      for (let isDone = false; !isDone; await Promise.all(sending)) {
        const { started, hasMore } = await pass(signal);
        isDone = started === 0 && !hasMore;
      }
    },
    wake: () => wakeUp(),
    ...createBackgroundWork(POLL_MS, async (stop) => {
      await lease
        .hold((lost) => run(stop, lost))
        .catch((error: unknown) => report(error, 'webhooks could not be sent'));
    }),
  };
}
