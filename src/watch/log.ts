import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../base/errors.ts';
import { createBatch } from '../base/system/batch.ts';
import { beginWait, type Deadline, endWait } from '../base/system/deadline.ts';

/** How clients follow the journal and the changes of a monitor: page after page, by positions. They may wait for the next entry. */

/** Splits entries that were read with `limit + 1` into one page and the information whether more entries follow. */
export function splitPage<T>(found: readonly T[], limit: number): { readonly data: readonly T[]; hasMore: boolean } {
  return { data: found.slice(0, limit), hasMore: found.length > limit };
}

interface WaitingRequest {
  readonly accountId: string;
  readonly deadline: Deadline;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
}

/**
 * An import is noticed within `pollMs`. An account has `maxPerAccount` places in one thread. As many requests again may wait for `pauseMs`, so that a
 * client that repeats its request at once does not use up its rate limit.
 */
const LIMITS = { pollMs: 500, pauseMs: 2_000, maxPerAccount: 10, maxInTotal: 1_000 };

/** Requests that wait for the next entry. One lookup at a time serves all of them. Their number is limited, because of memory. */
export function createWaits(findNewest: () => Promise<string>, limits = LIMITS) {
  const { pollMs, pauseMs, maxPerAccount, maxInTotal } = limits;
  const waiters = new Set<{ readonly accountId: string; readonly version: string; end(hasChanged: boolean): void }>();
  const ending = new AbortController();
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    while (waiters.size > 0) {
      await sleep(pollMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      if (waiters.size === 0) break;
      // If the database is down, the next poll asks again. Waiting requests end at their deadlines.
      const newest = await findNewest().catch(() => undefined);
      for (const waiter of [...waiters]) if (newest !== undefined && waiter.version !== newest) waiter.end(true);
    }
    polling = undefined;
  }

  /** When a new request has to be answered at the latest. Throws if too many requests wait. */
  function chooseEnd(accountId: string, deadline: Deadline): Deadline {
    const own = [...waiters].filter((each) => each.accountId === accountId).length;
    if (own >= 2 * maxPerAccount || waiters.size >= 2 * maxInTotal) throw fail('service_unavailable', FULL);
    const hasPlace = own < maxPerAccount && waiters.size < maxInTotal;
    return hasPlace ? deadline : Math.min(deadline, performance.now() + pauseMs);
  }

  return {
    /**
     * Waits until the newest entry is not `version` any more. Returns false if there is no newer entry: at the deadline, when the client has
     * disconnected, when the waits were ended, or after a moment if too many requests wait. Throws `service_unavailable` if even more requests wait.
     */
    async untilChanged(version: string, { accountId, deadline, gone }: WaitingRequest): Promise<boolean> {
      if (ending.signal.aborted || gone.aborted) return false;
      const latest = chooseEnd(accountId, deadline);
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
            resolve(hasChanged);
          },
        };
        gone.addEventListener('abort', leave);
        waiters.add(waiter);
        polling ??= poll();
      });
    },
    /** Ends all waits, including waits that start later, so that the server can stop. Resolves when no lookup is running. */
    async end(): Promise<void> {
      for (const waiter of [...waiters]) waiter.end(false);
      ending.abort();
      await polling;
    },
  };
}

const FULL = {
  message: 'Too many requests wait for changes at the same time: wait with fewer of them, or try again later.',
  retryAfter: 5,
} as const;

interface LogPage {
  readonly data: readonly unknown[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean };
}

/** New entries wake all waiting requests. Only a few of them read at a time, so that other requests get connections too. */
const MAX_READS = 4;

/** Reads pages of a log by cursors. `newest` is what `findNewest` returned before the page was read, and differs once there are new entries. */
export function createLogReader<Request extends { readonly cursor: string | undefined }, Page extends LogPage>(
  read: (request: Request) => Promise<{ readonly page: Page; readonly newest: string }>,
  findNewest: () => Promise<string>,
) {
  const waits = createWaits(findNewest);
  const readAgain = createBatch((requests: readonly Request[]) => Promise.all(requests.map(read)), {
    maxSize: 1,
    concurrency: MAX_READS,
  });
  return {
    readPage: async (request: Request): Promise<Page> => (await read(request)).page,
    async waitForPage(request: Request, waiting: WaitingRequest): Promise<Page> {
      let { page, newest } = await read(request);
      while (page.data.length === 0 && !page.meta.hasMore) {
        if (!(await waits.untilChanged(newest, waiting))) break;
        ({ page, newest } = await readAgain({ ...request, cursor: page.meta.nextCursor }));
      }
      return page;
    },
    endWaits: (): Promise<void> => waits.end(),
  };
}
