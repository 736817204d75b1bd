import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../../base/db/db.ts';
import type { Lease } from '../../../base/db/lease.ts';
import type { Log } from '../../../base/log.ts';
import { createBackgroundWork, reportTo } from '../../../base/system/background-work.ts';
import type { AccountTerms, ReadTerms } from '../../../base/usage.ts';
import type { MonitorEvent } from '../../monitors/events.ts';
import { type EventSource, messageId, renderPayload } from '../events.ts';
import { type SealedSecrets, signMessage } from '../secrets.ts';
import * as store from '../store.ts';
import { type Claim, claimDeliveries, type FindRoom, type Finished, type Ready, recordAnswers } from './exchange.ts';
import type { DeliveryOutcome, Sender } from './sender.ts';

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
  readonly count: (outcome: DeliveryOutcome['kind']) => void;
}

const POLL_MS = 1_000;
/** Requests to one endpoint at the same time. An endpoint whose last attempt failed gets only one, so that it binds few connections. */
const MAX_PER_ENDPOINT = 8;
/** Requests of the process at the same time. Above the first limit, only endpoints without a request get one: hanging requests leave room. */
const [MANY_IN_FLIGHT, MAX_IN_FLIGHT] = [1_000, 2_000];
/** The number of endpoints whose deliveries one transaction charges, and of answers that it records. */
const [MAX_CLAIMED, MAX_RECORDED] = [64, 256];
/** How long an account without quota waits before the next try: the account may have upgraded. */
const PAUSE_MS = 60_000;

/**
 * Creates deliveries from events and sends them. In a cluster, one process at a time does this, under a lease. Deliveries being sent are not marked
 * in the database: a process that takes over repeats deliveries that the previous process may have sent, with the same id.
 */
export function createDispatcher(options: DispatcherOptions) {
  const { db, clock, log, lease, events, secrets, sender, readTerms, userAgent, count } = options;
  const addDeliveries = createFanOut({ db, clock, events });
  /** The ids of the deliveries of each endpoint that are being sent, or whose answers are not recorded. */
  const inFlight = new Map<string, Set<string>>();
  const sending = new Set<Promise<void>>();
  const answers: Finished[] = [];
  /** When an account without quota, or an endpoint that cannot be signed for, is tried again. */
  const pauses = new Map<string, number>();
  const report = reportTo(log, 'webhooks could not be sent');
  let backlog: Backlog = 'none';
  let mayHaveEvents = true;
  let wakeUp = () => {};

  const isPaused = (id: string) => (pauses.get(id) ?? 0) > clock.now();

  const findRoom: FindRoom = ({ failing }, own, planned) => {
    // One transaction charges for several deliveries: the next ones follow when half of the requests are answered.
    if (own > MAX_PER_ENDPOINT / 2) return 0;
    const left = MANY_IN_FLIGHT - sending.size - planned;
    const room = Math.min((failing === 1 ? 1 : MAX_PER_ENDPOINT) - own, left);
    return own === 0 && left > MANY_IN_FLIGHT - MAX_IN_FLIGHT ? Math.max(1, room) : room;
  };

  async function findReady(): Promise<Ready[]> {
    const known = new Map<string, AccountTerms | undefined>();
    const ready: Ready[] = [];
    for (const { id, accountId, failing } of await store.listReady(db, clock.now())) {
      const own = inFlight.get(id) ?? new Set<string>();
      if (findRoom({ failing }, own.size, 0) <= 0 || isPaused(accountId) || isPaused(id)) continue;
      if (!known.has(accountId)) known.set(accountId, await readTerms(accountId));
      const terms = known.get(accountId);
      if (terms !== undefined) ready.push({ id, terms, inFlight: own });
    }
    return ready;
  }

  /** The next answers to record. Until they are recorded, nothing else is sent: a delivery that waits again could be sent twice. */
  function takeAnswers(): readonly Finished[] {
    const finished = answers.slice(0, MAX_RECORDED);
    for (const { endpoint, delivery } of finished) release(endpoint.id, delivery.id);
    return finished;
  }

  /** Records answers and starts the next deliveries, in one transaction, because commits are slow. Returns the number of started deliveries. */
  async function exchange(finished: readonly Finished[], ready: readonly Ready[], signal: AbortSignal) {
    if (finished.length + ready.length === 0) return 0;
    const now = clock.now();
    const { kinds, claims, quotaResets } = await db.transaction(async (tx) => {
      await store.holdDeliveries(tx);
      const kinds = await recordAnswers(tx, finished);
      return { kinds, ...(await claimDeliveries(tx, ready, findRoom, now)) };
    });
    answers.splice(0, finished.length);
    for (const kind of kinds) count(kind);
    for (const { terms } of ready) pauses.delete(terms.accountId);
    for (const [accountId, resetsAt] of quotaResets) pauses.set(accountId, Math.min(resetsAt, now + PAUSE_MS));
    for (const claim of claims) start(claim, signal);
    return claims.length;
  }

  function start({ endpoint, delivery }: Claim, signal: AbortSignal): void {
    inFlight.getOrInsertComputed(endpoint.id, () => new Set()).add(delivery.id);
    const work = deliver(endpoint, delivery, signal).finally(() => {
      sending.delete(work);
      wakeUp();
    });
    sending.add(work);
  }

  function release(endpointId: string, id: string): void {
    const own = inFlight.get(endpointId);
    own?.delete(id);
    if (own?.size === 0) inFlight.delete(endpointId);
  }

  async function deliver(endpoint: store.StoredEndpoint, delivery: store.StoredDelivery, signal: AbortSignal) {
    const headers = signHeaders(endpoint, delivery);
    const answer = headers === null ? null : await sender.send(endpoint.url, headers, delivery.payload, signal);
    const isAborted = answer?.status === null && signal.aborted;
    // The receiver may or may not have got the request. The next process with the lease sends it again.
    if (isAborted && answer.isSent) release(endpoint.id, delivery.id);
    else answers.push({ endpoint, delivery, answer: isAborted ? null : answer, at: clock.now() });
  }

  function signHeaders(endpoint: store.StoredEndpoint, { id, payload }: store.StoredDelivery) {
    const now = clock.now();
    const { secret, previousSecret, previousEndsAt } = endpoint;
    const isRotating = previousSecret !== null && (previousEndsAt ?? 0) > now;
    try {
      const timestamp = Math.floor(now / 1_000);
      const keys = (isRotating ? [secret, previousSecret] : [secret]).map((each) => secrets.unseal(each, endpoint.id));
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
      return null;
    }
  }

  /** Does all work that is due. Returns how many deliveries were started. */
  async function pass(signal: AbortSignal): Promise<number> {
    let finished = takeAnswers();
    const ready = await findReady();
    let started = 0;
    do {
      started += await exchange(finished, ready.splice(0, MAX_CLAIMED), signal);
      finished = [];
    } while (ready.length > 0 && !signal.aborted);
    // This step is the last one, because it needs the journal: if the journal is not available, waiting deliveries are still sent.
    if (mayHaveEvents || backlog !== 'none') {
      mayHaveEvents = false;
      backlog = await addDeliveries(signal);
    }
    return started;
  }

  async function run(stop: AbortSignal, lost: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([stop, lost]);
    signal.addEventListener('abort', () => wakeUp(), { once: true });
    mayHaveEvents = true;
    while (!signal.aborted) {
      // All answers that arrive by the end of this turn of the event loop are recorded together.
      await nextTurn();
      const { promise, resolve } = Promise.withResolvers<void>();
      wakeUp = resolve;
      const isDone = await pass(signal).then(() => backlog !== 'added' && answers.length === 0, report);
      if (isDone === false || signal.aborted) continue;
      const timer = setTimeout(wake, POLL_MS).unref();
      await promise;
      clearTimeout(timer);
    }
    await Promise.all(sending);
    while (answers.length > 0) await exchange(takeAnswers(), [], signal);
  }

  function wake(): void {
    mayHaveEvents = true;
    wakeUp();
  }

  return {
    /** Does all work that is due. Resolves when every sent request is answered and recorded. */
    async step(): Promise<void> {
      const { signal } = new AbortController();
      mayHaveEvents = true;
      for (let started = 1; started > 0 || answers.length > 0 || backlog === 'added'; await Promise.all(sending)) {
        started = await pass(signal);
      }
    },
    wake,
    ...createBackgroundWork(POLL_MS, async (stop) => {
      await lease.hold((lost) => run(stop, lost)).catch(report);
      // The next process with the lease repeats the deliveries whose answers could not be recorded.
      answers.length = 0;
      inFlight.clear();
    }),
  };
}

const BATCH_SIZE = 100;
/** The maximum number of waiting deliveries of an endpoint, plus one batch. Further events wait in their table until there is room. */
const MAX_WAITING = 500;
/** A transaction writes rows of several endpoints, because a commit takes longer than adding. On SQLite a transaction blocks the event loop. */
const MAX_WRITTEN = 1_000;

/** Creates deliveries from events. The position of an endpoint moves in the transaction that adds them, so no event is skipped or added twice. */
function createFanOut({ db, clock, events }: Pick<DispatcherOptions, 'db' | 'clock' | 'events'>) {
  async function readNext(endpoint: store.StoredEndpoint, last: number): Promise<Next | undefined> {
    const { id, accountId, monitorIds, position } = endpoint;
    if ((await store.countWaiting(db, id)) >= MAX_WAITING) return undefined;
    const found = await events.ofAccount(accountId, monitorIds, position, BATCH_SIZE);
    const to = found.hasMore ? found.position : Math.max(last, found.position);
    return { endpoint, to, deliveries: found.events.map((event) => describe(id, event)) };
  }

  /** Adds deliveries, except for endpoints that have changed since they were read. */
  async function add(all: readonly Next[]): Promise<void> {
    await db.transaction(async (tx) => {
      await store.holdDeliveries(tx);
      const rows: store.NewDelivery[] = [];
      for (const { endpoint, to, deliveries } of all) {
        if (await store.advanceEndpoint(tx, endpoint, to)) rows.push(...deliveries);
      }
      await store.insertDeliveries(tx, rows, clock.now());
    });
  }

  return async (signal: AbortSignal): Promise<Backlog> => {
    const last = await events.last();
    const found: Next[] = [];
    let isFull = false;
    let size = 0;
    for (const endpoint of await store.listBehind(db, last)) {
      if (size >= MAX_WRITTEN || signal.aborted) break;
      const next = await readNext(endpoint, last);
      isFull ||= next === undefined;
      if (next === undefined) continue;
      found.push(next);
      size += 1 + next.deliveries.length;
    }
    if (found.length === 0) return isFull ? 'full' : 'none';
    await add(found);
    return 'added';
  };
}

/** Whether there is more to add: at once if deliveries were `added`, or after the next delivery if endpoints are `full`. */
type Backlog = 'none' | 'added' | 'full';

interface Next {
  readonly endpoint: store.StoredEndpoint;
  readonly to: number;
  readonly deliveries: readonly store.NewDelivery[];
}

function describe(endpointId: string, event: MonitorEvent): store.NewDelivery {
  const { position, type, data } = event;
  const [id, payload] = [messageId(endpointId, event), renderPayload(event)];
  return { id, endpointId, position, entityId: data.entityId ?? '', type, payload, units: 1 };
}
