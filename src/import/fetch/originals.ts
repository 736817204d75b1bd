import { type Dirent, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile } from '../../formats/unpack.ts';
import { loadState, PART } from './state.ts';

/** Finds official files again by their hashes: files that a fetch kept, and other files that a user has. */
interface OriginalsOptions {
  readonly folder: string;
  /** Another folder of files that were imported, such as the files of the demo. */
  readonly samples: string;
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

/** The hash is null if the file cannot be read. */
interface Hashed {
  readonly hash: string | null;
  readonly stamp: string;
}

/** Finds the files with these hashes. Files are hashed again: the state only decides which files are tried first. */
export async function findOriginals(hashes: ReadonlySet<string>, options: OriginalsOptions) {
  const { folder, samples, given } = options;
  const hashed = new Map<string, Hashed>();
  const hash = async (path: string): Promise<Hashed> => {
    const known = hashed.get(path) ?? (await hashAgain(path, options));
    hashed.set(path, known);
    return known;
  };
  // The files directly in the folder of the register are the state and the lock.
  const onDisk = (await listFiles(folder)).filter((path) => dirname(path) !== folder);
  const { snapshots } = await loadState(folder);
  const listed = new Map<string, string>();
  for (const { folder: snapshot, files } of snapshots.toReversed())
    for (const { name, hash } of files) listed.set(join(folder, snapshot, name), hash);
  // Files in quarantine count, too: an operator may have imported them.
  const others = [...given, ...(await listFiles(samples)), ...onDisk.filter((path) => !listed.has(path))];
  const found = new Map<string, Original>();
  for (const wanted of hashes) {
    // A file that is gone counts as not kept, and not as altered.
    const kept = onDisk.filter((path) => listed.get(path) === wanted);
    for (const path of [...kept.sort().reverse(), ...others]) {
      const { hash: actual, stamp } = await hash(path);
      if (actual === wanted) {
        found.set(wanted, { state: 'intact', path, stamp });
        break;
      }
      if (kept.includes(path) && !found.has(wanted)) found.set(wanted, { state: 'altered', path, hash: actual });
    }
  }
  const givenHashes: { readonly path: string; readonly hash: string | null }[] = [];
  for (const path of given) givenHashes.push({ path, hash: (await hash(path)).hash });
  return { found, given: givenHashes };
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

/** The complete files in a folder and in the folders inside it. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((): Dirent[] => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(PART));
  return files.map(({ parentPath, name }) => join(parentPath, name));
}
