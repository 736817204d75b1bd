import type { Queries } from '../db/db.ts';
import { readCurrentFiles } from './history/store.ts';

/** The newest dates of files according to their publisher, `YYYY-MM-DD`; null if no file has one. */
export interface FileAge {
  /** The newest date of the files that the data in the store comes from. */
  readonly held: string | null;
  /** The newest date of the files that are imported now. */
  readonly given: string | null;
}

export async function compareAge(db: Queries, register: string, days: readonly (string | null)[]): Promise<FileAge> {
  const held = await readCurrentFiles(db, register);
  return { held: findNewest(held.map(({ asOf }) => asOf)), given: findNewest(days) };
}

export function isOlder({ held, given }: FileAge): boolean {
  return held !== null && given !== null && given < held;
}

function findNewest(days: readonly (string | null)[]): string | null {
  const known = days.filter((day) => day !== null);
  return known.sort().at(-1) ?? null;
}
