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
const DAMAGED = `${FILE}.damaged`;

/** A damaged state file counts as empty. */
export async function readState(folder: string): Promise<SourceState> {
  return (await parseState(folder)) ?? EMPTY;
}

/**
 * Reads the state to change it. A damaged file is moved aside, and what it described stays on disk: it may be all that is left of
 * a publication.
 */
export async function openState(folder: string): Promise<{ state: SourceState; notice: string | null }> {
  const state = await parseState(folder);
  if (state !== undefined) return { state, notice: null };
  await rename(join(folder, FILE), join(folder, DAMAGED));
  const notice = `The file ${FILE} in ${folder} was damaged and is now ${DAMAGED}. Everything was requested again, and no file was removed: delete the older folders there when you no longer need them.`;
  return { state: EMPTY, notice };
}

/** Undefined if the file is damaged. */
async function parseState(folder: string): Promise<SourceState | undefined> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return JSON.stringify(EMPTY);
    throw error;
  });
  try {
    const state: unknown = JSON.parse(text);
    return isState(state) ? state : undefined;
  } catch {
    return undefined;
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

/**
 * Checks what was read from a state file. Anyone who can write to the folder can change it, and a fetch removes the folders and
 * opens the files that it names: so these are names and never paths, and no two folders are the same.
 */
function isState(value: unknown): value is SourceState {
  if (!isObject<SourceState>(value)) return false;
  const { checkedAt, snapshots, pending } = value;
  if (!(checkedAt === null || isText(checkedAt)) || !isList(snapshots, isSnapshot)) return false;
  if (pending !== null && !isPending(pending)) return false;
  return areDistinct([...snapshots, ...(pending === null ? [] : [pending])].map(({ folder }) => folder));
}

/** Names of folders of snapshots: the time at which they were begun, such as `20261116T030000Z` or `20261116T030000Z-1`. */
const FOLDER = /^\d{8}T\d{6}Z(-\d+)?$/;
/** Not hidden, not a path. */
const NAME = /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u;
const HASH = /^sha256:[0-9a-f]{64}$/;
/** Values of HTTP headers, which are sent again. */
const HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

function isSnapshot(value: unknown): value is Snapshot {
  return isObject<Snapshot>(value) && isText(value.fetchedAt) && isFolder(value, isKeptFile);
}

function isPending(value: unknown): value is Pending {
  return isObject<Pending>(value) && isFolder(value, (file) => isKeptFile(file) || isStartedFile(file));
}

function isFolder({ folder, files }: Unchecked<Pending>, isFile: (file: unknown) => file is PendingFile): boolean {
  if (!isText(folder) || !FOLDER.test(folder) || !isList(files, isFile)) return false;
  return areDistinct(files.map(({ name }) => name));
}

function isKeptFile(value: unknown): value is KeptFile {
  if (!isObject<KeptFile>(value) || !isNamedFile(value)) return false;
  const { hash, size } = value;
  return isText(hash) && HASH.test(hash) && Number.isSafeInteger(size) && Number(size) >= 0;
}

function isStartedFile(value: unknown): value is PendingFile {
  return isObject<KeptFile>(value) && isNamedFile(value) && value.hash === undefined && value.size === undefined;
}

function isNamedFile({ url, name, etag, lastModified }: Unchecked<KeptFile>): boolean {
  return isText(url) && isText(name) && NAME.test(name) && isHeader(etag) && isHeader(lastModified);
}

type Unchecked<T> = { readonly [Key in keyof T]?: unknown };

function isObject<T>(value: unknown): value is Unchecked<T> {
  return typeof value === 'object' && value !== null;
}

function isList<T>(value: unknown, isItem: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isHeader(value: unknown): value is string | null {
  return value === null || (isText(value) && HEADER.test(value));
}

function areDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}
