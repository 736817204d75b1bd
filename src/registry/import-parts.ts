import type { Db } from '../db/db.ts';
import { readParts, type StoredPart } from './imports/store.ts';

/** Far more imports than the records of a store come from. Bounds memory. */
const MAX_IMPORTS = 200;

/** The parts of imports, by generation. They never change, so each import is read once. */
export function createImportParts(db: Db): (generation: number) => Promise<readonly StoredPart[]> {
  const known = new Map<number, Promise<readonly StoredPart[]>>();
  return (generation) => {
    const cached = known.get(generation);
    if (cached !== undefined) return cached;
    const found = readParts(db, generation);
    if (known.size >= MAX_IMPORTS) known.clear();
    known.set(generation, found);
    // A failure must not be remembered.
    found.catch(() => known.delete(generation));
    return found;
  };
}
