import type { Clock } from '../../core/clock.ts';
import { fail } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { changeInBatches } from '../../db/batches.ts';
import type { Db, Queries, Transaction } from '../../db/db.ts';
import { type BackgroundWork, createBackgroundWork } from '../../system/background-work.ts';
import { type RepeatableRequest, type SealedRequest, sealRequest } from './sealed-request.ts';
import { deleteExpiredReplies, findReply, insertReply } from './store.ts';

/**
 * Requests that a client may repeat, on any server, without repeating their effect. The result of the first one that succeeds is
 * kept for a day and returned to all others. Errors are not kept: a request that failed has changed nothing.
 */
export interface Idempotency extends BackgroundWork {
  /**
   * For work outside of the database. If servers run it at the same time, all return the result that was stored first. `make` gets
   * an id that is the same for equal requests on all servers, so that another system can recognize them. If a stored result is no
   * longer of use (`isCurrent`), it is made again, with another id.
   */
  once<T>(
    request: MaybeRepeatable,
    make: (id: string | undefined) => Promise<T>,
    isCurrent?: (result: T) => boolean,
  ): Promise<MaybeReplay<T>>;
  /**
   * For work in the database: the result is stored in the transaction that makes it, so there are always both or neither. `lock`
   * has to keep other transactions of the same account and operation waiting.
   */
  onceInTransaction<L, T>(request: MaybeRepeatable, steps: Steps<L, T>): Promise<MaybeReplay<T>>;
  /** Deletes replies that have expired. Returns how many. */
  prune(signal?: AbortSignal): Promise<number>;
}

/** Without a key, the request is carried out every time. */
export type MaybeRepeatable = Omit<RepeatableRequest, 'key'> & { readonly key: string | undefined };

interface Steps<L, T> {
  lock(tx: Transaction): Promise<L>;
  make(tx: Transaction, locked: L): Promise<T>;
}

export interface MaybeReplay<T> {
  /** Consists of JSON values only. */
  readonly result: T;
  /** Whether another request has made the result. */
  readonly isReplay: boolean;
}

interface Found<T> {
  readonly result: T;
  readonly sealed: string;
}

interface IdempotencyOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
}

const KEPT_MS = 86_400_000;
const PRUNE_INTERVAL_MS = 10 * 60_000;
const BATCH_SIZE = 100;

export function createIdempotency({ db, clock, log }: IdempotencyOptions): Idempotency {
  /** What this thread is working on. Equal requests wait here and not in the database, where 200 of them would use all connections. */
  const inFlight = new Map<string, Promise<MaybeReplay<unknown>>>();

  async function share<T>(
    { id, requestHash }: SealedRequest,
    work: () => Promise<MaybeReplay<T>>,
  ): Promise<MaybeReplay<T>> {
    const name = `${id} ${requestHash}`;
    const first = inFlight.get(name) as Promise<MaybeReplay<T>> | undefined;
    if (first !== undefined) return { ...(await first), isReplay: true };
    const own = work();
    inFlight.set(name, own);
    try {
      return await own;
    } finally {
      inFlight.delete(name);
    }
  }

  async function find<T>(queries: Queries, request: SealedRequest): Promise<Found<T> | undefined> {
    const stored = await findReply(queries, request.id, clock.now());
    if (stored === undefined) return undefined;
    if (stored.requestHash !== request.requestHash) throw fail('idempotency_key_reused');
    return { result: JSON.parse(request.unseal(stored.reply)) as T, sealed: stored.reply };
  }

  async function findOrMake<T>(
    queries: Queries,
    request: SealedRequest,
    make: (id: string) => Promise<T>,
    isCurrent: (result: T) => boolean = () => true,
  ): Promise<MaybeReplay<T>> {
    const found = await find<T>(queries, request);
    if (found !== undefined && isCurrent(found.result)) return { result: found.result, isReplay: true };
    const { id, requestHash } = request;
    const result = await make(found === undefined ? id : request.nextId(found.sealed));
    const now = clock.now();
    const stored = { id, requestHash, reply: request.seal(JSON.stringify(result)), expiresAt: now + KEPT_MS };
    const isFirst = await insertReply(queries, stored, now, found?.sealed);
    const other = isFirst ? undefined : await find<T>(queries, request);
    return other === undefined ? { result, isReplay: false } : { result: other.result, isReplay: true };
  }

  function prune(signal?: AbortSignal): Promise<number> {
    return changeInBatches({ db, name: 'idempotency pruning', size: BATCH_SIZE, signal }, (tx, limit) =>
      deleteExpiredReplies(tx, clock.now(), limit),
    );
  }

  return {
    async once({ key, ...rest }, make, isCurrent) {
      if (key === undefined) return { result: await make(undefined), isReplay: false };
      const request = sealRequest({ key, ...rest });
      return share(request, () => findOrMake(db, request, make, isCurrent));
    },
    async onceInTransaction<L, T>({ key, ...rest }: MaybeRepeatable, { lock, make }: Steps<L, T>) {
      const transact = (work: (tx: Transaction, locked: L) => Promise<MaybeReplay<T>>) =>
        db.transaction(async (tx) => work(tx, await lock(tx)));
      if (key === undefined) {
        return transact(async (tx, locked) => ({ result: await make(tx, locked), isReplay: false }));
      }
      const request = sealRequest({ key, ...rest });
      return share(request, async () => {
        // Without the lock, so that repeated requests do not delay others.
        const found = await find<T>(db, request);
        if (found !== undefined) return { result: found.result, isReplay: true };
        return transact((tx, locked) => findOrMake(tx, request, () => make(tx, locked)));
      });
    },
    prune,
    ...createBackgroundWork(PRUNE_INTERVAL_MS, async (signal) => {
      await prune(signal).catch((error: unknown) =>
        log.warn({ err: error }, 'expired replies could not be deleted: will retry'),
      );
    }),
  };
}
