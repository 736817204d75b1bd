import type { Queries, Reads } from '../base/db/db.ts';
import { formatCount } from '../base/format-count.ts';
import { listSetModes, type PartyModes } from '../base/party-modes.ts';
import type { Register } from '../registers/contract.ts';
import { listFileModes, listPastFiles, type PastFile } from '../registry/records/imports/store.ts';
import { isRaised } from '../registry/records/withholding.ts';
import { ImportRefused } from './mapping/problems.ts';

/** Past imports of a register, and what follows from them for a new import. */
export interface PastImport extends Omit<PastFile, 'hash' | 'asOf'> {
  readonly files: readonly Pick<PastFile, 'hash' | 'asOf'>[];
}

/** The past imports of a register, oldest first. */
export async function listImports(db: Queries, register: string): Promise<PastImport[]> {
  const imports = Map.groupBy(await listPastFiles(db, register), ({ generation }) => generation);
  return Array.from(imports.values(), (files) => ({ ...(files[0] as PastFile), files }));
}

/** The files that the data of the register comes from: the files of the latest full import and of the imports after it. */
export function listCurrent(imports: readonly PastImport[]): PastImport['files'] {
  const full = imports.findLastIndex(({ mode }) => mode === 'full');
  return imports.slice(Math.max(0, full)).flatMap(({ files }) => files);
}

/** The registers for which `modes` allow more than when their newest file was imported. The next import brings the missing data. */
export async function listRaised(db: Reads, registers: readonly Register[], modes: PartyModes): Promise<Register[]> {
  const newest = new Map((await listFileModes(db)).map((file) => [file.register, file.modes]));
  return registers.filter((register) => {
    const text = newest.get(register.id);
    return text !== undefined && isRaised(text, listSetModes(modes, register));
  });
}

function hasFiles({ files }: PastImport, hashes: readonly string[]): boolean {
  const held = files.map(({ hash }) => hash);
  return held.sort().join() === hashes.toSorted().join();
}

/** Files to import, by their hashes, and the program that reads the files. */
interface GivenFiles {
  readonly hashes: readonly string[];
  readonly program: string;
}

/**
 * Whether the last import of companies, or a later one of parties alone, was of the same files, by the same program. An older file may be
 * imported again.
 */
export function isImported(
  imports: readonly PastImport[],
  { mode, program, hashes }: GivenFiles & { readonly mode: 'full' | 'partial' | undefined },
): boolean {
  const last = imports.at(-1);
  const isOfParties = last?.hasRecords === 0 && last.partyMode !== null;
  const latest = [
    imports.findLast(({ hasRecords }) => hasRecords === 1),
    isOfParties ? { ...last, mode: last.partyMode } : undefined,
  ];
  return latest.some((one) => {
    // A full import covers a partial import. The reverse is not true: there may be records to delist.
    return one?.program === program && (one.mode === 'full' || one.mode === mode) && hasFiles(one, hashes);
  });
}

/**
 * How files relate to the data of a register. `current`: the data comes from exactly these files; `outdated`: the data does, but another
 * version of the program read the files, or fewer parties were allowed (`raised`); `replaced`: other files were imported after these files.
 * Only full imports count: after a partial import there may be records to delist. A partial import after a full import adds to the files of
 * the full import and does not replace them.
 */
export function findStanding(
  imports: readonly PastImport[],
  { hashes, program, raised }: GivenFiles & { readonly raised: boolean },
): { standing: 'new' | 'current' | 'outdated' | 'replaced'; importedAt: number | null } {
  const full = imports.filter(({ mode }) => mode === 'full');
  const same = full.findLast((one) => hasFiles(one, hashes));
  if (same === undefined) return { standing: 'new', importedAt: null };
  const { importedAt } = same;
  if (same !== full.at(-1)) return { standing: 'replaced', importedAt };
  // Reading the files again would undo a later partial import.
  const isCurrent = (same.program === program && !raised) || same !== imports.at(-1);
  return { standing: isCurrent ? 'current' : 'outdated', importedAt };
}

/** The newest dates of files according to their publisher, `YYYY-MM-DD`; null if no file has a date. */
export interface FileAge {
  /** The newest date of the files that the data in the store comes from. */
  readonly held: string | null;
  /** The newest date of the files that are imported now. */
  readonly given: string | null;
}

export function compareAge(imports: readonly PastImport[], days: readonly (string | null)[]): FileAge {
  return { held: findNewest(listCurrent(imports).map(({ asOf }) => asOf)), given: findNewest(days) };
}

export function isOlder({ held, given }: FileAge): boolean {
  return held !== null && given !== null && given < held;
}

function findNewest(days: readonly (string | null)[]): string | null {
  return (
    days
      .filter((day) => day !== null)
      .sort()
      .at(-1) ?? null
  );
}

/** A loss that needs no history. This may be most of a small register, so `MAX_SHARE` bounds the loss, too. */
const ALWAYS_ALLOWED = 1_000;
/** The share that may be missing until the register has a history. */
const USUAL_SHARE = 0.02;
const MAX_SHARE = 0.2;
/** With fewer updates there is no history. */
const MIN_UPDATES = 3;
/** How many times the largest earlier loss an update may lose. */
const TOLERANCE = 2;

const DAY = 86_400_000;
/** Updates older than this show nothing about the next update. */
const HISTORY = 365 * DAY;

/** A full import that added or delisted companies. Imports that read the same files again are not updates. */
type PastUpdate = Pick<PastImport, 'importedAt' | 'delisted' | 'held'>;

export function listUpdates(imports: readonly PastImport[], now: number): PastUpdate[] {
  return imports.filter(({ mode, added, delisted, importedAt }) => {
    return mode === 'full' && added + delisted > 0 && importedAt >= now - HISTORY;
  });
}

/**
 * How many of the companies that the store holds may be missing in an update. `updates` are the earlier updates in
 * their order, the first import included. Losses are compared per day, because an update that comes late loses more.
 */
export function limitLoss(held: number, updates: readonly PastUpdate[], now: number): number {
  const days = (from: number, to: number) => Math.max(1, (to - from) / DAY);
  // Somebody confirmed each loss of more than the maximum share, so these losses are exceptions and do not count.
  const usual = updates.flatMap(({ delisted, held, importedAt }, index) => {
    const previous = updates[index - 1];
    if (previous === undefined || delisted > held * MAX_SHARE) return [];
    return delisted / days(previous.importedAt, importedAt);
  });
  const last = updates.at(-1);
  const limit =
    last === undefined || usual.length < MIN_UPDATES
      ? held * USUAL_SHARE
      : TOLERANCE * Math.max(...usual) * days(last.importedAt, now);
  return Math.floor(Math.min(Math.max(limit, ALWAYS_ALLOWED), held * MAX_SHARE));
}

/** Parties of companies have no history: any share below the maximum may be missing. */
export function limitPartyLoss(held: number): number {
  return Math.floor(held * MAX_SHARE);
}

/** A truncated file, or a part of the register, would remove the rest, which must be requested explicitly. */
export function requireMost(
  found: number,
  held: number,
  limit: number,
  { things, loss }: { readonly things: string; readonly loss: 'delist' | 'remove' },
): void {
  if (held - found <= limit) return;
  throw new ImportRefused(
    `the files lack ${formatCount(held - found)} of the ${things} that the store holds of this register, but at most ` +
      `${formatCount(limit)} may be missing. A full import would ${loss} them, so nothing was changed. Use --partial if ` +
      'the files are a part of the register, or --full if they are complete.',
  );
}
