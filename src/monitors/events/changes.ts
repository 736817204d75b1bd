import type { Db } from '../../db/db.ts';
import { type Cursor, readStart, writeCursor } from '../../journal/feed/cursor.ts';
import type { ChangeFeed } from '../../journal/feed/feed.ts';
import { createWaits, type WaitingRequest, type WaitOptions } from '../../journal/feed/waits.ts';
import { createBatch } from '../../system/batch.ts';
import type { MonitorChange } from '../monitor.ts';
import { readPass, requireMonitor } from '../store.ts';
import { readResolved, resolveEvents } from './resolve.ts';
import { findPosition, readEvents, readLatestEvents, toPlace } from './store.ts';

/** How clients read the changes that a monitor reports, by the cursors of the journal. */
export interface MonitorChanges {
  /** Throws `monitor_not_found`, and `cursor_expired` like the journal. */
  readPage(request: MonitorPageRequest): Promise<MonitorPage>;
  /** The same, but waits for changes if there are none yet. */
  waitForPage(request: MonitorPageRequest, waiting: WaitingRequest): Promise<MonitorPage>;
  /** The newest changes, the newest first. */
  readLatest(accountId: string, id: string, limit: number): Promise<MonitorChange[]>;
  /** Ends all waits, now and in future, so that the server can stop. */
  endWaits(): Promise<void>;
}

export interface MonitorPageRequest {
  readonly accountId: string;
  readonly id: string;
  /** As for the journal; undefined for the oldest change of the monitor that is kept. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface MonitorPage {
  readonly data: readonly MonitorChange[];
  readonly meta: { readonly nextCursor: string; readonly hasMore: boolean; readonly oldest: string };
}

const ALL = { country: null, register: null, type: null } as const;
/** New events wake all requests that wait. They read a few at a time, so that other requests get connections too. */
const MAX_READS = 4;

export function createMonitorChanges(
  db: Db,
  changes: Pick<ChangeFeed, 'readPage' | 'readAt'>,
  waitLimits: Omit<WaitOptions, 'readNewest'> = {},
): MonitorChanges {
  const readNewest = async () => String((await readPass(db)).position);
  const waits = createWaits({ readNewest, ...waitLimits });
  const readAgain = createBatch((requests: readonly MonitorPageRequest[]) => Promise.all(requests.map(readPage)), {
    maxSize: 1,
    concurrency: MAX_READS,
  });

  /** Throws `cursor_expired` if the journal no longer has the changes after it. Returns where the journal begins. */
  async function checkCursor(cursor: string | undefined): Promise<string> {
    return (await changes.readPage({ cursor, filter: ALL, limit: 1 })).meta.oldest;
  }

  async function readPage({ accountId, id, cursor, limit }: MonitorPageRequest): Promise<MonitorPage> {
    const monitor = await requireMonitor(db, accountId, id);
    const oldest = await checkCursor(cursor);
    // Before the events: those that are written meanwhile are then after it, and found by the next page.
    const { cursor: passed } = await readPass(db);
    const end = readStart(passed ?? monitor.startCursor);
    const start = cursor === 'now' ? end : readStart(cursor ?? oldest);
    const read = (position: number, most: number) => readEvents(db, monitor.number, position, most);
    const found = await readResolved(changes, read, await findPosition(db, toPlace(start)), limit + 1);
    const data = found.slice(0, limit).map(({ change }) => change);
    const hasMore = found.length > limit;
    const last = data.at(-1);
    const seen = last === undefined ? start : readStart(last.cursor);
    const nextCursor = writeEnd(hasMore || isLater(seen, end) ? seen : end, cursor);
    return { data, meta: { nextCursor, hasMore, oldest } };
  }

  return {
    readPage,
    async waitForPage(request, waiting) {
      let newest = await readNewest();
      let page = await readPage(request);
      while (page.data.length === 0) {
        if (!(await waits.untilChanged(newest, waiting))) break;
        newest = await readNewest();
        page = await readAgain({ ...request, cursor: page.meta.nextCursor });
      }
      return page;
    },
    async readLatest(accountId, id, limit) {
      const { number } = await requireMonitor(db, accountId, id);
      return (await resolveEvents(changes, await readLatestEvents(db, number, limit))).map(({ change }) => change);
    },
    endWaits: () => waits.end(),
  };
}

function isLater(a: Cursor, b: Cursor): boolean {
  const [first, second] = [toPlace(a), toPlace(b)];
  return (
    first.generation - second.generation > 0 || (first.generation === second.generation && first.place > second.place)
  );
}

/** A client that gave the name of a snapshot, which has all changes up to it, gets it back while there is nothing later. */
function writeEnd(cursor: Cursor, given: string | undefined): string {
  return cursor.seen === Number.POSITIVE_INFINITY && given !== undefined ? given : writeCursor(cursor);
}
