import type { Db } from '../../db/db.ts';
import { createBatch } from '../../system/batch.ts';
import { type ChangePlace, readAt, readPageOfHeads } from './heads.ts';
import { type HistoryRequest, readHistory } from './history.ts';
import { type ChangePage, findEnds, findStart, type PageRequest, readPage, readPageAs } from './page.ts';
import { createWaits, type WaitingRequest, type WaitOptions } from './waits.ts';

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/** An import wakes all requests that wait. They read a few at a time, so that other requests get connections too. */
const MAX_READS = 4;

/** Reads the journal for clients: what changed since a cursor, and the history of one record. */
export function createChangeFeed(db: Db, waitLimits: Omit<WaitOptions, 'readNewest'> = {}) {
  const waits = createWaits({ readNewest: async () => (await findEnds(db)).newest.version, ...waitLimits });
  const readAgain = createBatch((requests: readonly PageRequest[]) => Promise.all(requests.map(read)), {
    maxSize: 1,
    concurrency: MAX_READS,
  });

  function read(request: PageRequest): Promise<ChangePage> {
    return readPage(db, request);
  }

  return {
    readPage: read,
    /** The same for a reader that needs few of many changes, and reads these with `readAt`. */
    readHeads: (request: PageRequest) => readPageAs(db, request, readPageOfHeads),
    readAt: (places: readonly ChangePlace[]) => readAt(db, places),
    /** The same, but waits for changes if there are none yet. */
    async waitForPage(request: PageRequest, waiting: WaitingRequest): Promise<ChangePage> {
      let page = await read(request);
      while (page.data.length === 0 && !page.meta.hasMore) {
        if (!(await waits.untilChanged(page.newest, waiting))) break;
        page = await readAgain({ ...request, cursor: page.meta.nextCursor });
      }
      return page;
    },
    findStart: (since: number) => findStart(db, since),
    readHistory: (id: string, request: HistoryRequest) => readHistory(db, id, request),
    endWaits: waits.end,
  };
}
