import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Validators } from './responses.ts';

/** A complete file on disk. */
export interface KeptFile extends Validators {
  /** The address, or for an address that is valid for a short time only, the request that returned it. */
  readonly url: string;
  readonly name: string;
  /** `sha256:<hex>`. */
  readonly hash: string;
  readonly size: number;
}

/** The files of one publication, in a folder of their own. */
export interface Snapshot {
  readonly folder: string;
  readonly fetchedAt: string;
  readonly files: readonly KeptFile[];
}

/** A file of a fetch that is not complete. Without hash and size, its `.part` may have the beginning. */
export type PendingFile = Validators & Pick<KeptFile, 'url' | 'name'> & Partial<Pick<KeptFile, 'hash' | 'size'>>;

export interface Pending {
  readonly folder: string;
  readonly files: readonly PendingFile[];
}

/** What is known about the files of a register. Stored as `state.json` in the register's folder. */
export interface SourceState {
  /** When the publisher was last asked successfully. */
  readonly checkedAt: string | null;
  /** Oldest first. */
  readonly snapshots: readonly Snapshot[];
  readonly pending: Pending | null;
}

const EMPTY: SourceState = { checkedAt: null, snapshots: [], pending: null };
const FILE = 'state.json';

/** A damaged state file counts as none: then everything is downloaded again. */
export async function readState(folder: string): Promise<SourceState> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  try {
    const state: SourceState = { ...EMPTY, ...JSON.parse(text) };
    return Array.isArray(state.snapshots) ? state : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** The addresses of the kept files, by their hashes. */
export async function readAddresses(sources: string, register: string): Promise<Map<string, string>> {
  const { snapshots } = await readState(join(sources, register));
  return new Map(snapshots.flatMap(({ files }) => files.map(({ hash, url }) => [hash, url] as const)));
}

/** Replaces the file in one step: after a crash it has either the old or the new content. */
export async function writeState(folder: string, state: SourceState): Promise<void> {
  const temporary = join(folder, `${FILE}.new`);
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(`${JSON.stringify(state, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, join(folder, FILE));
}
