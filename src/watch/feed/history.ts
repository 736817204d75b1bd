import type { Queries } from '../../base/db/db.ts';
import { type Change, toChanges } from './change.ts';
import { invalidCursor, readCursor, readGeneration } from './cursor.ts';
import { describeState, expired, findEnds, writeStart } from './page.ts';
import { hasEntity, readEntityChanges, readEntries } from './store.ts';

export interface HistoryRequest {
  /** Only changes before the one with this cursor. */
  readonly cursor?: string | undefined;
  /** Only changes that this version of the data contains. */
  readonly upTo?: string;
  readonly limit: number;
}

/** Changes of one entity, the newest first. */
interface HistoryPage {
  readonly data: readonly PastChange[];
  readonly meta: { readonly nextCursor: string | null; readonly hasMore: boolean; readonly oldest: string };
  /** Identifies the state of the journal that the page comes from. */
  readonly version: string;
}

export interface PastChange {
  readonly change: Change;
  /** Name of the file that the change was imported from; the first one if there were several. */
  readonly file: string | null;
}

/** Undefined if there is no such entity. */
export async function readHistory(
  db: Queries,
  id: string,
  { cursor, upTo, limit }: HistoryRequest,
): Promise<HistoryPage | undefined> {
  const { oldest, newest } = await findEnds(db);
  const latest = upTo === undefined ? newest.generation : readGeneration(upTo);
  const before = cursor === undefined ? { generation: latest + 1, position: 0 } : await findPlace(db, cursor);
  const found = await readEntityChanges(db, id, before, limit + 1);
  if (found.length === 0 && !(await hasEntity(db, id))) return undefined;
  const data = found
    .slice(0, limit)
    .flatMap((stored) =>
      toChanges([stored], stored.generation, stored.publishedAt).map((change) => ({ change, file: stored.file })),
    );
  const hasMore = found.length > limit;
  const nextCursor = hasMore ? (data.at(-1)?.change.cursor ?? null) : null;
  return { data, meta: { nextCursor, hasMore, oldest: writeStart(oldest) }, version: describeState(oldest, newest) };
}

async function findPlace(db: Queries, cursor: string): Promise<{ generation: number; position: number }> {
  const { version, seen } = readCursor(cursor);
  const [entry] = await readEntries(db, readGeneration(version), 1);
  if (entry?.version !== version || entry.first > 0) throw expired();
  if (seen > entry.changes) throw invalidCursor();
  return { generation: entry.generation, position: seen - 1 };
}
