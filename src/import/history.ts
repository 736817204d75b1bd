import type { Queries, Reads } from '../base/db/db.ts';
import { listSetModes, type PartyModes } from '../base/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import {
  findLatest,
  listCurrentFiles,
  listImportsWith,
  listNewestModes,
  type PastImport,
} from '../registry/records/imports/store.ts';
import { isRaised } from '../registry/records/withholding.ts';

/**
 * What was imported of a register before. `current`: the data comes from exactly these files; `outdated`: it does, but
 * another version of the program read them, or fewer parties were allowed; `replaced`: they were imported, and other
 * files since.
 */
interface Standing {
  readonly standing: 'new' | 'current' | 'outdated' | 'replaced';
  /** When the files were imported; null if never. */
  readonly importedAt: number | null;
}

/** Hashes of the files that the data of the register comes from. */
export async function listCurrentHashes(db: Queries, register: string): Promise<string[]> {
  return (await listCurrentFiles(db, register)).map(({ hash }) => hash);
}

/** The registers of which `modes` allow more than when their newest file was imported: the next import brings it. */
export async function listRaised(db: Reads, registers: readonly Register[], modes: PartyModes): Promise<Register[]> {
  const newest = new Map((await listNewestModes(db)).map((file) => [file.register, file.modes]));
  return registers.filter((register) => {
    const text = newest.get(register.id);
    return text !== undefined && isRaised(text, listSetModes(modes, register));
  });
}

/**
 * How files with these hashes relate to the data of the register. Only full imports count: after a partial one there may
 * be records to delist. A partial import after it adds to its files and does not replace them.
 */
export async function findStanding(
  db: Queries,
  register: string,
  { hashes, ...reading }: { readonly hashes: readonly string[] } & Reading,
): Promise<Standing> {
  const list = (given: readonly string[]) => given.toSorted().join();
  const imports = Map.groupBy(await listImportsWith(db, register, hashes[0] ?? ''), ({ generation }) => generation);
  const same = [...imports.values()].find((files) => {
    return files[0]?.mode === 'full' && list(files.map(({ hash }) => hash)) === list(hashes);
  });
  const [found] = same ?? [];
  if (found === undefined) return { standing: 'new', importedAt: null };
  return { standing: await judge(db, register, found, reading), importedAt: found.importedAt };
}

/** How the files would be read now. */
interface Reading {
  readonly program: string;
  /** Whether more parties are allowed than when they were imported. */
  readonly raised: boolean;
}

async function judge(
  db: Queries,
  register: string,
  { generation, program: reader }: PastImport,
  { program, raised }: Reading,
): Promise<Standing['standing']> {
  const latest = await findLatest(db, register);
  if (latest?.full !== generation) return 'replaced';
  // Reading the files again would undo a later partial import.
  return (reader === program && !raised) || latest.any !== generation ? 'current' : 'outdated';
}

/** The newest dates of files according to their publisher, `YYYY-MM-DD`; null if no file has one. */
export interface FileAge {
  /** The newest date of the files that the data in the store comes from. */
  readonly held: string | null;
  /** The newest date of the files that are imported now. */
  readonly given: string | null;
}

export async function compareAge(db: Queries, register: string, days: readonly (string | null)[]): Promise<FileAge> {
  const held = await listCurrentFiles(db, register);
  return { held: findNewest(held.map(({ asOf }) => asOf)), given: findNewest(days) };
}

export function isOlder({ held, given }: FileAge): boolean {
  return held !== null && given !== null && given < held;
}

function findNewest(days: readonly (string | null)[]): string | null {
  const known = days.filter((day) => day !== null);
  return known.sort().at(-1) ?? null;
}
