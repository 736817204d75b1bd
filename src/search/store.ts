import type { Queries, Snapshot } from '../db/db.ts';

/** The SQL of the engine in memory. The engine in PostgreSQL has its own in `postgres.ts` and `postgres-indexes.ts`. */

export async function isEmpty(db: Pick<Queries, 'one'>): Promise<boolean> {
  return (await db.one('SELECT id FROM entities LIMIT 1')) === undefined;
}

/** All entities, as bytes: see `Snapshot.dump`. */
export function dumpEntities(view: Snapshot, columns: readonly string[]): AsyncIterable<Uint8Array> {
  return view.dump('entities', columns);
}
