import type { Snapshot } from '../../../base/db/db.ts';
import { findVersion } from '../../../base/db/version.ts';
import { parseVersion } from '../../../base/version.ts';
import { type JournalRow, readChanges, readJournal } from '../../store.ts';

/**
 * Reads the journal from a version to the present. Returns the current version and, by id, the name of each changed entity in the earlier
 * version; null if the earlier version lacks the entity. Throws `RebuildNeeded` if the journal does not go back to that version.
 */
export async function readChangesSince(view: Snapshot, from: string, maxChanges: number) {
  const version = await findVersion(view);
  const namesBefore = new Map<string, string | null>();
  if (version === from) return { version, namesBefore };
  for (const { batch, changes } of await readImports(view, from, version)) {
    let count = 0;
    for await (const rows of readChanges(view, batch)) {
      count += rows.length;
      // If several imports changed an entity, the first of these changes has the name before all of them.
      for (const [id, nameBefore] of rows) if (!namesBefore.has(id)) namesBefore.set(id, nameBefore);
      if (namesBefore.size > maxChanges) throw new RebuildNeeded(`more than ${maxChanges} entities have changed`);
    }
    if (count !== changes) throw new RebuildNeeded(`the journal has ${count} of ${changes} changes`);
  }
  return { version, namesBefore };
}

/** The imports after `from`, up to and including `to`. */
async function readImports(view: Snapshot, from: string, to: string): Promise<JournalRow[]> {
  const [first, last] = [parseVersion(from), parseVersion(to)];
  const [known, ...imports] = await readJournal(view, first.generation);
  // In a restored backup or another store, the generation with this number can have other data.
  if (known?.generation !== first.generation || known.publishedAt !== first.publishedAt) {
    throw new RebuildNeeded(`the journal does not have version ${from}`);
  }
  const isComplete = imports.every(({ generation }, at) => generation === first.generation + 1 + at);
  const end = imports.at(-1);
  if (!isComplete || end?.generation !== last.generation || end.publishedAt !== last.publishedAt) {
    throw new RebuildNeeded(`the journal has gaps between ${from} and ${to}`);
  }
  if (imports.some(({ loaded }) => loaded === 1)) throw new RebuildNeeded('a register was imported for the first time');
  return imports;
}

/**
 * Thrown when an index cannot follow the journal and has to be rebuilt. This is normal after a first import of a
 * register or a long absence. A contradiction between index and journal ends here, too: a wrong index is never served.
 */
export class RebuildNeeded extends Error {
  override name = 'RebuildNeeded';
}
