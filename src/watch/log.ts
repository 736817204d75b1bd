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

  return {
    /**
     * Waits until the newest import is not `version` any more. Returns false if there is no newer import: at the deadline, when the client has
     * disconnected, when the waits were ended, or after a moment if too many requests wait. Throws `service_unavailable` if even more requests wait.
     */
    async untilChanged(version: string, { accountId, deadline, gone }: WaitingRequest): Promise<boolean> {
      if (isEnded || gone.aborted) return false;
      const seat = chooseSeat(waiters, accountId, limits);
      if (seat === 'none') throw fail('service_unavailable', FULL);
      if (seat !== 'brief') seat.instead?.end(false);
      const latest = seat === 'brief' ? Math.min(deadline, performance.now() + pauseMs) : deadline;
      return new Promise((resolve) => {
        const leave = () => waiter.end(false);
        const waiting = beginWait(latest, leave);
        const waiter = {
          accountId,
          version,
          end(hasChanged: boolean) {
            if (!waiters.delete(waiter)) return;
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

/**
 * Whether a request may wait until its deadline, or only a moment (`brief`), so that a client that repeats its request at once does not use up its rate
 * limit, or not even that (`none`). The request `instead` has to leave to make room.
 */
type Seat<P> = { readonly instead: P | undefined } | 'brief' | 'none';

/**
 * Decides whether a request may wait. An account has a bounded number of places. If all places are taken, an account gets a place from the account
 * with the most places, as long as that account still keeps more: so many accounts together cannot keep another account out. As many requests again
 * may wait a moment. `held` contains all waiting requests, in the order of their arrival.
 */
function chooseSeat<P extends { readonly accountId: string }>(
  held: ReadonlySet<P>,
  accountId: string,
  { perAccount, inTotal }: { readonly perAccount: number; readonly inTotal: number },
): Seat<P> {
  const byAccount = Map.groupBy(held, (place) => place.accountId);
  const own = byAccount.get(accountId)?.length ?? 0;
  const most = [...byAccount.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
  if (own >= 2 * perAccount) return 'none';
  if (own < perAccount && held.size < inTotal) return { instead: undefined };
  if (own < perAccount && most.length > own + 1) return { instead: most[0] };
  return held.size >= 2 * inTotal ? 'none' : 'brief';
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
