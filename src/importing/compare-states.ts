import type { Queries } from '../db/db.ts';
import { findSeen, markSeen, type StoredState } from '../records/store.ts';

interface Compared {
  /** Stored with other content: they are replaced. */
  readonly changed: ReadonlySet<string>;
  /** Not to be written: stored with the same content, or a repetition of an earlier row of this import. */
  readonly known: readonly string[];
  /** How many of the known ones are not repetitions. */
  readonly newlySeen: number;
}

/**
 * Compares a batch with what the store has. The first row with an id wins. Ids of unchanged rows are kept in the table `seen`, so that
 * memory does not grow with the file. `firstFile` is the number of the import's first file.
 */
export async function compareStates(
  tx: Queries,
  states: readonly StoredState[],
  hashOf: (id: string) => string | undefined,
  { firstFile, size }: { readonly firstFile: number; readonly size: number },
): Promise<Compared> {
  const unchanged: string[] = [];
  const differing: string[] = [];
  const repeated: string[] = [];
  for (const { id, contentHash, fileId } of states) {
    if (fileId >= firstFile) repeated.push(id);
    else if (hashOf(id) === contentHash) unchanged.push(id);
    else differing.push(id);
  }
  // A row that differs from the stored one is still a duplicate if an earlier row of this import was equal to it.
  repeated.push(...(await findSeen(tx, differing, size)));
  const changed = new Set(differing).difference(new Set(repeated));
  return { changed, known: [...unchanged, ...repeated], newlySeen: await markSeen(tx, unchanged, size) };
}
