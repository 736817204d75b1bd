import { join } from 'node:path';
import { listCurrentHashes } from '../registry/history/history.ts';
import { type KeptFile, readState } from '../sources/state.ts';
import type { UpdateOptions } from './update-options.ts';

export interface OlderFile {
  readonly name: string;
  /** When the publisher last changed this file, and the imported one, according to its server. */
  readonly given: string;
  readonly held: string;
}

/**
 * A new file that the publisher's server says is older than the imported one. Files are compared at the same address, or if
 * the publication is a single file: the files of a publication may have been changed at different times.
 */
export async function findOlderFile(
  register: string,
  files: readonly KeptFile[],
  { db, sources }: Pick<UpdateOptions, 'db' | 'sources'>,
): Promise<OlderFile | undefined> {
  const held = new Set(await listCurrentHashes(db, register));
  const { snapshots } = await readState(join(sources.folder, register));
  const imported = snapshots.flatMap((snapshot) => snapshot.files).filter(({ hash }) => held.has(hash));
  for (const file of files) {
    if (held.has(file.hash)) continue;
    const known = files.length === 1 ? imported : imported.filter(({ url }) => url === file.url);
    const newest = Math.max(...known.map(readModified).filter((time) => !Number.isNaN(time)));
    if (readModified(file) < newest) {
      return { name: file.name, given: formatTime(readModified(file)), held: formatTime(newest) };
    }
  }
  return undefined;
}

function readModified({ lastModified }: KeptFile): number {
  return Date.parse(lastModified ?? '');
}

function formatTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
