import type { Queries } from '../../base/db/db.ts';
import { type Change, toChanges } from './change.ts';
import { writeCursor } from './cursor.ts';
import type { Read } from './page.ts';
import { type JournalEntry, readChangesAt, readEntries, readHeads } from './store.ts';

/** What tells whether a change matters: for readers that need all of it of few among millions. */
export interface ChangeHead {
  readonly source: JournalEntry;
  readonly position: number;
  readonly type: string;
  readonly entityId: string | null;
}

export const readPageOfHeads: Read<ChangeHead> = async (db, source, ...given) => {
  const found = await readHeads(db, source, ...given);
  const data = found?.map(([position, type, entityId]) => ({ source, position, type, entityId }) as ChangeHead);
  return data && { data, last: data.at(-1)?.position };
};

/** The place after a change. */
export function findCursor({ source, position }: ChangeHead): string {
  return writeCursor({ version: source.version, seen: position + 1 });
}

/** A change: its import, and how many changes of the import there are up to this one. */
export interface ChangePlace {
  readonly generation: number;
  /** If it differs, the store was restored from a backup, and another import has the number. */
  readonly publishedAt: number;
  readonly place: number;
}

/** The changes at these places, in the same order. Undefined for those that the journal does not have. */
export async function readAt(db: Queries, places: readonly ChangePlace[]): Promise<(Change | undefined)[]> {
  const found = new Map<string, Change | undefined>();
  const nameOf = ({ generation, publishedAt, place }: ChangePlace) => `${generation} ${publishedAt} ${place}`;
  for (const [generation, own] of Map.groupBy(places, (each) => each.generation)) {
    const [source] = await readEntries(db, generation, 1);
    if (source?.generation !== generation) continue;
    const { publishedAt, batch } = source;
    const positions = [...new Set(own.map(({ place }) => place - 1))];
    const stored = await readChangesAt(db, batch, positions);
    for (const [index, change] of toChanges(stored, generation, publishedAt).entries()) {
      const place = (stored[index]?.position ?? 0) + 1;
      found.set(nameOf({ generation, publishedAt, place }), change);
    }
  }
  return places.map((place) => found.get(nameOf(place)));
}
