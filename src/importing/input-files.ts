import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Db } from '../db/db.ts';
import { hashFile } from '../formats/unpack.ts';
import { readLatestImport, readLatestPartyImport } from '../records/imports/store.ts';
import { ImportRefused } from './import-result.ts';

/** A file to import, as it was before it was read. */
export interface InputFile {
  readonly path: string;
  readonly name: string;
  readonly hash: string;
  readonly size: number;
  /** Changes when the file does. */
  readonly stamp: string;
}

export function describeFiles(paths: readonly string[]): Promise<InputFile[]> {
  return Promise.all(
    paths.map(async (path) => {
      // Before hashing: a change while the file is hashed must be noticed too.
      const before = { path, name: basename(path), size: statSync(path).size, stamp: readStamp(path) };
      return { ...before, hash: await hashFile(path) };
    }),
  );
}

/** Empty when the file is gone. */
function readStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Files are read after they are hashed, and threads open them again: the stored data must be what was hashed. */
export function requireUnchanged(files: readonly InputFile[]): void {
  const changed = files.find(({ path, stamp }) => readStamp(path) !== stamp);
  if (changed !== undefined)
    throw new ImportRefused(`${changed.name} changed while it was being read. Run the import again.`);
}

interface RequestedImport {
  readonly register: string;
  readonly mode: 'full' | 'partial' | undefined;
  readonly program: string;
  readonly files: readonly InputFile[];
}

/** Whether the last import was of the same files, by the same program. An older file may be imported again. */
export async function isImported(db: Db, { register, mode, program, files }: RequestedImport): Promise<boolean> {
  const hashes = files.map(({ hash }) => hash).sort();
  for (const latest of [await readLatestImport(db, register), await readLatestPartyImport(db, register)]) {
    if (latest === undefined || latest.program !== program) continue;
    // A full import covers a partial one. The reverse is not true: there may be records to delist.
    if (latest.mode !== 'full' && latest.mode !== mode) continue;
    if (latest.hashes.join() === hashes.join()) return true;
  }
  return false;
}
