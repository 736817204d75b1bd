import { type Dirent, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile } from '../../formats/unpack.ts';
import { loadState, PART } from './state.ts';

/** Finds official files again by their hashes: files that a fetch kept, and other files that a user has. */
interface OriginalsOptions {
  /** The folder of the register. */
  readonly folder: string;
  /** Another folder of files that were imported, such as the files of the demo. */
  readonly samples: string;
  /** Paths of further files. */
  readonly given: readonly string[];
  readonly onProgress: (progress: {
    readonly file: string;
    readonly bytes: number;
    readonly totalBytes: number;
  }) => void;
  readonly signal: AbortSignal;
}

/** `altered`: the file was kept with this hash, but now has another hash (null: the file cannot be read). */
export type Original =
  | { readonly state: 'intact'; readonly path: string; readonly stamp: string }
  | { readonly state: 'altered'; readonly path: string; readonly hash: string | null };

/** A file that may be one of the originals. */
interface Candidate {
  readonly path: string;
  /** The hash when the file was kept. Null if the state does not list the file. */
  readonly keptAs: string | null;
}

interface Hashed {
  /** Null if the file cannot be read. */
  readonly hash: string | null;
  readonly stamp: string;
}

/** Hashes files again: the state only decides which files are tried first. */
export async function findOriginals(hashes: ReadonlySet<string>, options: OriginalsOptions) {
  const hashed = new Map<string, Hashed>();
  const hash = async (path: string): Promise<Hashed> => {
    const known = hashed.get(path) ?? (await hashAgain(path, options));
    hashed.set(path, known);
    return known;
  };
  const given: { readonly path: string; readonly hash: string | null }[] = [];
  for (const path of options.given) given.push({ path, hash: (await hash(path)).hash });
  const kept = await listKept(options.folder);
  const samples = await listFiles(options.samples);
  const found = new Map<string, Original>();
  for (const wanted of hashes) {
    const others = [...options.given, ...samples].map((path) => ({ path, keptAs: null }));
    const original = await findOriginal(wanted, [...others, ...kept], hash);
    if (original !== undefined) found.set(wanted, original);
  }
  return { found, given };
}

async function findOriginal(
  wanted: string,
  candidates: readonly Candidate[],
  hash: (path: string) => Promise<Hashed>,
): Promise<Original | undefined> {
  let altered: Original | undefined;
  const isLikely = ({ keptAs }: Candidate) => keptAs === wanted;
  const unlisted = candidates.filter(({ keptAs }) => keptAs === null);
  for (const { path, keptAs } of [...candidates.filter(isLikely), ...unlisted]) {
    const { hash: actual, stamp } = await hash(path);
    if (actual === wanted) return { state: 'intact', path, stamp };
    if (keptAs === wanted) altered ??= { state: 'altered', path, hash: actual };
  }
  return altered;
}

async function hashAgain(path: string, { onProgress, signal }: OriginalsOptions): Promise<Hashed> {
  const stamp = findStamp(path);
  const totalBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  try {
    const hash = await hashFile(path, (bytes) => {
      signal.throwIfAborted();
      onProgress({ file: path, bytes, totalBytes });
    });
    return { hash, stamp };
  } catch (error) {
    if (error instanceof Error && 'code' in error && !signal.aborted) return { hash: null, stamp };
    throw error;
  }
}

/** Text that changes when the file changes; empty when the file is gone. */
export function findStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

/** The files of all snapshots, the newest first. Files in quarantine count too: an operator may have imported them. */
async function listKept(folder: string): Promise<Candidate[]> {
  const { snapshots } = await loadState(folder);
  const listed = snapshots.toReversed().flatMap(({ folder: snapshot, files }) => {
    return files.map(({ name, hash }): Candidate => ({ path: join(folder, snapshot, name), keptAs: hash }));
  });
  const known = new Set(listed.map(({ path }) => path));
  // The files directly in the folder of the register are the state and the lock.
  const onDisk = (await listFiles(folder)).filter((path) => dirname(path) !== folder);
  const unlisted = onDisk.filter((path) => !known.has(path)).map((path): Candidate => ({ path, keptAs: null }));
  // A file that is gone counts as not kept, and not as altered.
  return [...listed.filter(({ path }) => onDisk.includes(path)), ...unlisted];
}

/** The complete files in a folder and in the folders inside it. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((): Dirent[] => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(PART));
  return files.map(({ parentPath, name }) => join(parentPath, name));
}
