import type { Db } from '../../base/db/db.ts';
import { type ChangePlace, readAt, readPageOfHeads } from './heads.ts';
import { type HistoryRequest, readHistory } from './history.ts';
import { type ChangePage, findEnds, findStart, type PageRequest, readPage, readPageAs } from './page.ts';
import { createLogReader, type WaitLimits } from './waits.ts';

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/** Reads the journal for clients: what changed since a cursor, and the history of one record. */
export function createChangeFeed(db: Db, waitLimits: WaitLimits = {}) {
  async function read(request: PageRequest): Promise<{ page: ChangePage; newest: string }> {
    const page = await readPage(db, request);
    return { page, newest: page.newest };
  }

  return {
    ...createLogReader(read, { readNewest: async () => (await findEnds(db)).newest.version, ...waitLimits }),
    /** The same for a reader that needs few of many changes, and reads these with `readAt`. */
    readHeads: (request: PageRequest) => readPageAs(db, request, readPageOfHeads),
    readAt: (places: readonly ChangePlace[]) => readAt(db, places),
    findStart: (since: number) => findStart(db, since),
    readHistory: (id: string, request: HistoryRequest) => readHistory(db, id, request),
  };
}
