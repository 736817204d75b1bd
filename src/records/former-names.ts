import { chooseLookupSize, MAX_LOOKUP_SIZE } from '../core/pad-list.ts';
import type { Queries } from '../db/db.ts';
import type { RegistryOf } from '../registers/vocabulary.ts';
import { findRegistriesWith } from './store.ts';

/**
 * Longer records are left out: reading them would block the event loop. A former name beside a search result is a hint, and the page
 * of the record lists them all.
 */
const MAX_BYTES = 8 * 1024;

/** The latest former name of each of these records that has one, by id. */
export async function readFormerNames(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += MAX_LOOKUP_SIZE) {
    const part = ids.slice(from, from + MAX_LOOKUP_SIZE);
    const found = await findRegistriesWith(db, 'previousNames', part, chooseLookupSize(part.length), MAX_BYTES);
    for (const { id, registry } of found) {
      const { previousNames } = JSON.parse(registry) as RegistryOf;
      const [latest] = Array.isArray(previousNames) ? previousNames : [];
      if (typeof latest?.name === 'string') names.set(id, latest.name);
    }
  }
  return names;
}
