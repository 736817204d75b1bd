import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Type from 'typebox';
import { Compile } from 'typebox/schema';

/** Values of HTTP headers that later requests send again. */
const Header = Type.Union([Type.Null(), Type.String({ pattern: /^[\t\x20-\x7e\x80-\xff]*$/ })]);
const FILE_FIELDS = {
  /** The address, or for an address that is valid for a short time only, the request that returned it. */
  url: Type.String(),
  // A name that is neither hidden nor a path.
  name: Type.String({ pattern: /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u }),
  etag: Header,
  lastModified: Header,
};
const Kept = Type.Object({
  ...FILE_FIELDS,
  hash: Type.String({ pattern: /^sha256:[0-9a-f]{64}$/ }),
  size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
});
const absent = Type.Optional(Type.Never());
const Started = Type.Object({ ...FILE_FIELDS, hash: absent, size: absent });
/** Folders are named by the time at which the fetch began, such as `20261116T030000Z` or `20261116T030000Z-1`. */
const folder = Type.String({ pattern: /^\d{8}T\d{6}Z(-\d+)?$/ });
const State = Type.Object({
  /** When the last successful check of the publisher's files was. */
  checkedAt: Type.Union([Type.Null(), Type.String()]),
  /** The snapshots, oldest first. */
  snapshots: Type.Array(Type.Object({ folder, fetchedAt: Type.String(), files: Type.Array(Kept) })),
  pending: Type.Union([Type.Null(), Type.Object({ folder, files: Type.Array(Type.Union([Kept, Started])) })]),
});
const validator = Compile(State);

/** What is known about the files of a register. The state is stored as `state.json` in the register's folder. */
export type SourceState = Type.Static<typeof State>;
/** The files of one publication, in a folder of their own. */
export type Snapshot = SourceState['snapshots'][number];
/** A complete file on disk. */
export type KeptFile = Type.Static<typeof Kept>;
export type Pending = NonNullable<SourceState['pending']>;
/** A file of a fetch that is not complete. Without hash and size, its `.part` may have the beginning. */
export type PendingFile = Pending['files'][number];

/** The end of the names of files that are not complete. */
export const PART = '.part';

const EMPTY: SourceState = { checkedAt: null, snapshots: [], pending: null };
const FILE = 'state.json';

/**
 * A damaged state file counts as empty: everything is then requested again, and the files that it described stay on disk. Anyone who can
 * write to the folder can change the state, and a fetch removes folders and opens files that the state names: so both are names, never paths.
 */
export async function loadState(folder: string): Promise<SourceState> {
  const text = await readFile(join(folder, FILE), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  try {
    const state: unknown = JSON.parse(text);
    return validator.Check(state) ? state : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** The addresses of the kept files, by their hashes. */
export async function listAddresses(sources: string, register: string): Promise<Map<string, string>> {
  const { snapshots } = await loadState(join(sources, register));
  return new Map(snapshots.flatMap(({ files }) => files.map(({ hash, url }) => [hash, url] as const)));
}

/** Replaces the file in one step: after a crash the file has either the old or the new content. */
export async function writeState(folder: string, state: SourceState): Promise<void> {
  const temporary = join(folder, `${FILE}.new`);
  await writeFile(temporary, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
  await rename(temporary, join(folder, FILE));
}
