import type { Queries } from '../../base/db/db.ts';
import type { RegistryOf } from '../../registers/vocabulary.ts';
import { findRegistriesWith } from './store.ts';

/** Longer records are left out: reading them would block the event loop. The page of the record shows their fields. */
const MAX_BYTES = 8 * 1024;

/** The latest former name of each of these records that has one, by id. */
export function findFormerNames(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return findValues(db, 'previousNames', ids, ({ previousNames }) => {
    const [latest] = Array.isArray(previousNames) ? previousNames : [];
    return latest?.name;
  });
}

/** The postcode of the registered address of each of these records that has one, by id. */
export function findPostcodes(db: Queries, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return findValues(db, 'postCode', ids, ({ address }) => address?.postCode);
}

/** `read` takes the value from a record that has the field at any depth. */
async function findValues(
  db: Queries,
  field: string,
  ids: readonly string[],
  read: (registry: RegistryOf) => unknown,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const { id, registry } of await findRegistriesWith(db, field, ids, MAX_BYTES)) {
    const value = read(JSON.parse(registry) as RegistryOf);
    if (typeof value === 'string') values.set(id, value);
  }
  return values;
}
