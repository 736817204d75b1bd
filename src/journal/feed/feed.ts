import type { Db } from '../../db/db.ts';
import { createBatch } from '../../system/batch.ts';
import { type ChangeText, toTexts } from './change.ts';
import { type HistoryPage, type HistoryRequest, readHistory } from './history.ts';
import { type ChangePage, findEnds, findStart, type PageRequest, readPage, readPageAs } from './page.ts';
import { createWaits, type Waiting, type WaitOptions } from './waits.ts';

/**
 * Reads the journal for clients: what changed since a cursor, and the history of one record. Imports write the journal; this folder
 * only reads it.
 */
export interface ChangeFeed {
  readPage(request: PageRequest): Promise<ChangePage>;
  /** The same for a reader that passes many changes on. */
  readTexts(request: PageRequest): Promise<ChangePage<ChangeText>>;
  /** The same, but waits for changes if there are none yet. */
  waitForPage(request: PageRequest, waiting: Waiting): Promise<ChangePage>;
  /** The cursor before the first change since this time, epoch ms; the end of the feed if there is none. */
  findStart(since: number): Promise<string>;
  /** Undefined if there is no such entity. */
  readHistory(id: string, request: HistoryRequest): Promise<HistoryPage | undefined>;
  /** Ends all waits, now and in future, so that the server can stop. */
  endWaits(): Promise<void>;
}

/** An import wakes all requests that wait. They read a few at a time, so that other requests get connections too. */
const MAX_READS = 4;

export function createChangeFeed(db: Db, waitLimits: Omit<WaitOptions, 'readNewest'> = {}): ChangeFeed {
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
    readTexts: (request) => readPageAs(db, request, toTexts),
    async waitForPage(request, waiting) {
      let page = await read(request);
      while (page.data.length === 0 && !page.meta.hasMore) {
        if (!(await waits.untilChanged(page.newest, waiting))) break;
        page = await readAgain({ ...request, cursor: page.meta.nextCursor });
      }
      return page;
    },
    findStart: (since) => findStart(db, since),
    readHistory: (id, request) => readHistory(db, id, request),
    endWaits: () => waits.end(),
  };
}
