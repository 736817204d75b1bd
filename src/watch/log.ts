import { fail } from '../base/errors.ts';
import { createBatch } from '../base/system/batch.ts';
import { beginWait, type Deadline, endWait } from '../base/system/deadline.ts';

/**
 * How clients follow a log: the journal, the changes that a monitor reports, and the deliveries of an endpoint. Clients read page after page, each
 * page from the position where the previous one has ended, and may wait for the next entry.
 */

/** Splits entries that were read with `limit + 1` into one page and the information whether more entries follow. */
export function splitPage<T>(found: readonly T[], limit: number): { readonly data: readonly T[]; hasMore: boolean } {
  return { data: found.slice(0, limit), hasMore: found.length > limit };
}

/**
 * A request that waits for the next entry. One lookup at a time serves all waiting requests, and there is no lookup when no request waits. The number
 * of requests is limited (`chooseSeat`), so that waiting requests cannot use up memory and connections.
 */
export interface WaitingRequest {
  readonly accountId: string;
  readonly deadline: Deadline;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

interface WaitOptions extends WaitLimits {
  readNewest(): Promise<string>;
}

export interface WaitLimits {
  readonly pollMs?: number;
  readonly pauseMs?: number;
  readonly maxPerAccount?: number;
  readonly maxInTotal?: number;
}

interface Waiter {
  readonly accountId: string;
  readonly version: string;
  end(hasChanged: boolean): void;
}

/** An import is noticed at the latest after this time. */
const POLL_MS = 500;
/** How long a request waits if no place is free for it. */
const PAUSE_MS = 2_000;
/** The number of places per account in one thread. */
const MAX_PER_ACCOUNT = 10;
const MAX_IN_TOTAL = 1_000;

export function createWaits(options: WaitOptions) {
  const { readNewest, pollMs = POLL_MS, pauseMs = PAUSE_MS } = options;
  const limits = { perAccount: options.maxPerAccount ?? MAX_PER_ACCOUNT, inTotal: options.maxInTotal ?? MAX_IN_TOTAL };
  const waiters = new Set<Waiter>();
  const byAccount = new Map<string, number>();
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;

  function schedulePoll(): void {
    if (timer !== undefined || polling !== undefined || waiters.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      polling = poll().finally(() => {
        polling = undefined;
        schedulePoll();
      });
    }, pollMs);
  }

  async function poll(): Promise<void> {
    // If the database is down, the next poll asks again. Waiting requests end at their deadlines.
    const newest = await readNewest().catch(() => undefined);
    if (newest === undefined) return;
    for (const waiter of [...waiters]) if (waiter.version !== newest) waiter.end(true);
  }

  function countAccount(accountId: string, change: 1 | -1): void {
    const count = (byAccount.get(accountId) ?? 0) + change;
    if (count === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, count);
  }

  return {
    /**
     * Waits until the newest import is not `version` any more. Returns false if there is no newer import: at the deadline, when the client has
     * disconnected, when the waits were ended, or after a moment if too many requests wait. Throws `service_unavailable` if even more requests wait.
     */
    async untilChanged(version: string, { accountId, deadline, gone }: WaitingRequest): Promise<boolean> {
      if (isEnded || gone.aborted) return false;
      const seat = chooseSeat(waiters, accountId, limits, byAccount);
      if (seat.kind === 'refuse') throw fail('service_unavailable', FULL);
      if (seat.kind === 'wait') seat.instead?.end(false);
      const latest = seat.kind === 'wait' ? deadline : Math.min(deadline, performance.now() + pauseMs);
      return new Promise((resolve) => {
        const leave = () => waiter.end(false);
        const waiting = beginWait(latest, leave);
        const waiter = {
          accountId,
          version,
          end(hasChanged: boolean) {
            if (!waiters.delete(waiter)) return;
            countAccount(accountId, -1);
            endWait(waiting);
            gone.removeEventListener('abort', leave);
            if (waiters.size === 0) {
              clearTimeout(timer);
              timer = undefined;
            }
            resolve(hasChanged);
          },
        };
        gone.addEventListener('abort', leave);
        waiters.add(waiter);
        countAccount(accountId, 1);
        schedulePoll();
      });
    },
    /** Ends all waits, including waits that start later, so that the server can stop. Resolves when no lookup is running. */
    async end(): Promise<void> {
      isEnded = true;
      for (const waiter of [...waiters]) waiter.end(false);
      await polling;
    },
  };
}

const FULL = {
  message: 'Too many requests wait for changes at the same time: wait with fewer of them, or try again later.',
  retryAfter: 5,
} as const;

/** A request that waits. */
interface Place {
  readonly accountId: string;
}

type Seat<P> =
  /** The request waits until its deadline. The request `instead` has to leave to make room. */
  | { readonly kind: 'wait'; readonly instead?: P | undefined }
  /** The request waits only a moment, so that a client that repeats its request at once does not use up its rate limit. */
  | { readonly kind: 'pause' }
  /** Too many requests wait, even for a short wait. */
  | { readonly kind: 'refuse' };

/**
 * Decides whether a request may wait. An account has a bounded number of places. If all places are taken, an account gets a place from the account
 * with the most places, as long as that account still keeps more: so many accounts together cannot keep another account out. As many requests again
 * may pause. `held` contains all requests that wait or pause, in the order of their arrival.
 */
function chooseSeat<P extends Place>(
  held: ReadonlySet<P>,
  accountId: string,
  { perAccount, inTotal }: { readonly perAccount: number; readonly inTotal: number },
  counts: ReadonlyMap<string, number>,
): Seat<P> {
  const own = counts.get(accountId) ?? 0;
  if (own >= 2 * perAccount) return { kind: 'refuse' };
  if (own >= perAccount) return held.size >= 2 * inTotal ? { kind: 'refuse' } : { kind: 'pause' };
  if (held.size < inTotal) return { kind: 'wait' };
  const [account, most] = findLargest(counts);
  if (most > own + 1) return { kind: 'wait', instead: held.values().find((place) => place.accountId === account) };
  return held.size >= 2 * inTotal ? { kind: 'refuse' } : { kind: 'pause' };
}

function findLargest(counts: ReadonlyMap<string, number>): readonly [string, number] {
  let largest: readonly [string, number] = ['', 0];
  for (const entry of counts) if (entry[1] > largest[1]) largest = entry;
  return largest;
}

interface LogPage {
  readonly data: readonly unknown[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

/** Reads a page of a log from a cursor on. `newest` identifies the newest entry before the page was read. */
type ReadLog<Request, Page> = (request: Request) => Promise<{ readonly page: Page; readonly newest: string }>;

/** New entries wake all waiting requests. Only a few of them read at a time, so that other requests get connections too. */
const MAX_READS = 4;

/** Reads pages of a log by cursors. `readNewest` returns a different text once there are new entries. */
export function createLogReader<Request extends { readonly cursor: string | undefined }, Page extends LogPage>(
  read: ReadLog<Request, Page>,
  options: WaitOptions,
) {
  const waits = createWaits(options);
  const readAgain = createBatch((requests: readonly Request[]) => Promise.all(requests.map(read)), {
    maxSize: 1,
    concurrency: MAX_READS,
  });
  return {
    readPage: async (request: Request): Promise<Page> => (await read(request)).page,
    /** Like `readPage`, but waits for entries if there are none yet. */
    async waitForPage(request: Request, waiting: WaitingRequest): Promise<Page> {
      let { page, newest } = await read(request);
      while (page.data.length === 0 && !page.meta.hasMore) {
        if (!(await waits.untilChanged(newest, waiting))) break;
        ({ page, newest } = await readAgain({ ...request, cursor: page.meta.nextCursor }));
      }
      return page;
    },
    /** Ends all waits, now and in future, so that the server can stop. */
    endWaits: (): Promise<void> => waits.end(),
  };
}
