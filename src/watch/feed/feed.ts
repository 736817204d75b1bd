import type { Db, Queries } from '../../base/db/db.ts';
import { createLogReader, splitPage, type WaitLimits } from '../log.ts';
import { type Change, toChanges } from './change.ts';
import { invalidCursor, parseCursor, parseGeneration } from './cursor.ts';
import {
  type ChangePage,
  describeState,
  expired,
  findEnds,
  findStart,
  type PageRequest,
  readPage,
  writeStart,
} from './page.ts';
import { hasEntity, listChangesAt, listEntityChanges, listEntries } from './store.ts';

export type ChangeFeed = ReturnType<typeof createChangeFeed>;

/** Reads the journal for clients: the changes since a cursor, and the history of one record. */
export function createChangeFeed(db: Db, waitLimits: WaitLimits = {}) {
  async function read(request: PageRequest): Promise<{ page: ChangePage; newest: string }> {
    const page = await readPage(db, request);
    return { page, newest: page.newest };
  }

  return {
    ...createLogReader(read, { readNewest: async () => (await findEnds(db)).newest.version, ...waitLimits }),
    readAt: (places: readonly ChangePlace[]) => readAt(db, places),
    findStart: (since: number) => findStart(db, since),
    findHistory: (id: string, request: HistoryRequest) => findHistory(db, id, request),
  };
}

/** Identifies a change: its import, and the number of changes of the import up to this change. */
export interface ChangePlace {
  readonly generation: number;
  /** If the time differs, the store was restored from a backup, and the generation now numbers another import. */
  readonly publishedAt: number;
  readonly place: number;
}

/** The changes at these places, in the order of the places. Undefined for places that the journal no longer contains. */
async function readAt(db: Queries, places: readonly ChangePlace[]): Promise<(Change | undefined)[]> {
  const found = new Map<string, Change | undefined>();
  const nameOf = ({ generation, publishedAt, place }: ChangePlace) => `${generation} ${publishedAt} ${place}`;
  for (const [generation, own] of Map.groupBy(places, (each) => each.generation)) {
    const [source] = await listEntries(db, generation, 1);
    if (source?.generation !== generation) continue;
    const { publishedAt, batch } = source;
    const positions = [...new Set(own.map(({ place }) => place - 1))];
    const stored = await listChangesAt(db, batch, positions);
    for (const [index, change] of toChanges(stored, generation, publishedAt).entries()) {
      const place = (stored[index]?.position ?? 0) + 1;
      found.set(nameOf({ generation, publishedAt, place }), change);
    }
  }
  return places.map((place) => found.get(nameOf(place)));
}

export interface HistoryRequest {
  /** Only changes before the change with this cursor. */
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
  /** Name of the file that the change was imported from; if there were several files, the first. */
  readonly file: string | null;
}

/** Undefined if there is no such entity. */
async function findHistory(
  db: Queries,
  id: string,
  { cursor, upTo, limit }: HistoryRequest,
): Promise<HistoryPage | undefined> {
  const { oldest, newest } = await findEnds(db);
  const latest = upTo === undefined ? newest.generation : parseGeneration(upTo);
  const before = cursor === undefined ? { generation: latest + 1, position: 0 } : await findPlace(db, cursor);
  const found = await listEntityChanges(db, id, before, limit + 1);
  if (found.length === 0 && !(await hasEntity(db, id))) return undefined;
  const page = splitPage(found, limit);
  const data = page.data.flatMap((stored) =>
    toChanges([stored], stored.generation, stored.publishedAt).map((change) => ({ change, file: stored.file })),
  );
  const { hasMore } = page;
  const nextCursor = hasMore ? (data.at(-1)?.change.cursor ?? null) : null;
  return { data, meta: { nextCursor, hasMore, oldest: writeStart(oldest) }, version: describeState(oldest, newest) };
}

async function findPlace(db: Queries, cursor: string): Promise<{ generation: number; position: number }> {
  const { version, seen } = parseCursor(cursor);
  const [entry] = await listEntries(db, parseGeneration(version), 1);
  if (entry?.version !== version || entry.first > 0) throw expired();
  if (seen > entry.changes) throw invalidCursor();
  return { generation: entry.generation, position: seen - 1 };
}
