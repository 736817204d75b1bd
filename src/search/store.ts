import { describeVersion } from '../core/version.ts';
import type { Queries, Snapshot } from '../db/db.ts';

/** The SQL of the memory engine: which data there is, and all that an index is built from. */

export async function readVersion(db: Pick<Queries, 'one'>): Promise<string> {
  const sql = 'SELECT generation, published_at AS "publishedAt" FROM generation WHERE id = 1';
  const row = await db.one<{ generation: number; publishedAt: number | null }>(sql);
  return describeVersion(row?.generation ?? 0, row?.publishedAt ?? null);
}

export async function isEmpty(db: Pick<Queries, 'one'>): Promise<boolean> {
  return (await db.one('SELECT id FROM entities LIMIT 1')) === undefined;
}

/** The columns in the order `rows.ts` reads them. */
export function dumpEntities(view: Snapshot): AsyncIterable<Uint8Array> {
  return view.dump('entities', [
    'id',
    'name_key',
    'canonical_name',
    'country_code',
    'status',
    'legal_form',
    'registered_at',
    'updated_at',
    'number_keys',
    'activity_keys',
  ]);
}
