import { copyFile, link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { formatCount } from '../../base/format-count.ts';
import type { PartyModes } from '../../base/party-modes.ts';
import { FormatError } from '../../formats/rows.ts';
import { openPackage } from '../../formats/unpack.ts';
import type { Register } from '../../registers/contract.ts';
import { downloadFile } from './download.ts';
import type { OfferedFile } from './find.ts';
import type { Overrides } from './overrides.ts';
import { type Connection, type FetchLimits, limitTime, NO_VALIDATORS, type ProxySettings } from './requests.ts';
import {
  type KeptFile,
  PART,
  type Pending,
  type PendingFile,
  type Snapshot,
  type SourceState,
  writeState,
} from './state.ts';

/** How publishers are reached, and where their files are kept: the same for all registers. */
export interface SourceSettings {
  /** `DATA_DIR/sources`. */
  readonly folder: string;
  readonly keep: number;
  /** The addresses that the operator set instead of those in the manifests. */
  readonly overrides: Overrides;
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly limits: FetchLimits;
  /** Files of parties that are off are not fetched. */
  readonly parties: PartyModes;
  /** Throws a FormatError if the file is not a file of the register. */
  recognize(path: string, register: Register): Promise<void>;
}

/** What one fetch must do. */
export interface FetchRequest {
  readonly checkOnly: boolean;
  /** Hashes of files in use: a snapshot with one of them is kept, however old it is. */
  readonly inUse?: ReadonlySet<string>;
  readonly signal: AbortSignal;
  onProgress(progress: FetchProgress): void;
}

export interface FetchProgress {
  readonly file: string;
  readonly bytes: number;
  /** Null when the publisher does not send the size of the file. */
  readonly totalBytes: number | null;
}

/**
 * `new`: downloaded; `unchanged`: the kept files are current; `available`: a check found new files; `unknown`: only a download can
 * show whether files are new; `manual`: a person has to fetch the files; `busy`: another process fetches or imports the register.
 */
export type FetchOutcome = 'new' | 'unchanged' | 'available' | 'unknown' | 'manual' | 'busy' | 'failed';

/** As `firmament fetch --json` prints it. */
export interface FetchResult {
  readonly register: string;
  readonly outcome: FetchOutcome;
  /** What happened and what to do. Null if there is nothing to report. */
  readonly message: string | null;
  /** The newest known files on disk, with their paths. */
  readonly files: readonly (KeptFile & { readonly path: string })[];
}

/**
 * A fetch in progress: the state on disk is always the state after the last completed step, so that a killed fetch continues. A folder is
 * removed before its entry is removed from the state, so that no folder is left over.
 */
export interface Fetching {
  /** The register without the files of parties that are left out. */
  readonly register: Register;
  readonly leftOut: readonly string[];
  readonly settings: SourceSettings;
  readonly request: FetchRequest;
  readonly connection: Connection;
  /** The addresses that the operator set instead of those in the manifest. */
  readonly addresses: readonly URL[] | undefined;
  readonly folder: string;
  state: SourceState;
}

/** Without the register, which the caller knows. */
type Result = Omit<FetchResult, 'register'>;

/** Downloads the offered files, and keeps the files if they are new and pass all checks. */
export async function keepSnapshot(fetching: Fetching, offered: readonly OfferedFile[]): Promise<Result> {
  const { folder, settings, register } = fetching;
  const started = await openPending(fetching, offered);
  for (const file of offered) await fetchFile(fetching, started.folder, file);
  const files = (fetching.state.pending ?? started).files.filter(isFetched);
  const snapshot = { folder: started.folder, fetchedAt: writeTime(settings), files };
  const newest = fetching.state.snapshots.at(-1);
  if (newest !== undefined && (await isSame(folder, newest, files))) return confirmNewest(fetching, newest, snapshot);
  const fresh = files.filter(({ hash }) => !newest?.files.some((kept) => kept.hash === hash));
  for (const file of fresh) {
    const path = join(folder, snapshot.folder, file.name);
    const reason = await checkFile(path, () => settings.recognize(path, register));
    if (reason !== null) return refuse(fetching, snapshot.folder, [file], reason);
  }
  const reason = checkSize(fetching, files, newest);
  return reason === null ? publish(fetching, snapshot) : refuse(fetching, snapshot.folder, fresh, reason);
}

async function save(fetching: Fetching, change: Partial<SourceState>): Promise<void> {
  fetching.state = { ...fetching.state, ...change };
  await writeState(fetching.folder, fetching.state);
}

/** Continues the fetch that was interrupted, if the publisher still offers the same files. */
async function openPending(fetching: Fetching, offered: readonly OfferedFile[]): Promise<Pending> {
  const { folder, state, settings } = fetching;
  let { pending } = state;
  const isSameOffer = pending?.files.map(({ url }) => url).join('\n') === offered.map(({ id }) => id).join('\n');
  if (pending === null || !isSameOffer) {
    if (pending !== null) await rm(join(folder, pending.folder), { recursive: true, force: true });
    const files = offered.map(({ id, name }) => ({ url: id, name, ...NO_VALIDATORS }));
    pending = { folder: await nameSnapshot(folder, settings.clock.now(), state), files };
    await save(fetching, { pending });
  }
  await mkdir(join(folder, pending.folder), { recursive: true });
  return pending;
}

/** Brings one file into the folder of the snapshot: by downloading it, or from the last snapshot if it did not change. */
async function fetchFile(fetching: Fetching, target: string, { id, locate }: OfferedFile): Promise<void> {
  const { folder, connection, register, request, settings, state } = fetching;
  const entry = state.pending?.files.find((file) => file.url === id) as PendingFile;
  const { name } = entry;
  const path = join(folder, target, name);
  const update = async (change: Omit<PendingFile, 'url' | 'name'>) => {
    const { pending } = fetching.state as { pending: Pending };
    const files = pending.files.map((other) => (other.url === id ? { url: id, name, ...change } : other));
    await save(fetching, { pending: { ...pending, files } });
  };
  const isDone = isFetched(entry) && (await isComplete(path, entry.size));
  const kept = isDone ? { ...entry, path } : await findKept(folder, state.snapshots.at(-1), id);
  const failure = `${new URL(id).host} did not send the file ${name}`;
  using limit = limitTime(settings.limits.fileMs, connection.signal, failure);
  const download = {
    url: await locate(),
    path,
    kept: kept ?? NO_VALIDATORS,
    started: isFetched(entry) ? NO_VALIDATORS : entry,
    maxBytes: register.fetch.kind === 'manual' ? Number.MAX_SAFE_INTEGER : register.fetch.size.max,
    start: update,
    onProgress: (bytes: number, totalBytes: number | null) => request.onProgress({ file: name, bytes, totalBytes }),
  };
  const downloaded = await downloadFile(download, { ...connection, signal: limit.signal });
  if (downloaded !== null) await update(downloaded);
  else if (kept !== undefined && kept.path !== path) {
    await reuseFile(kept.path, path);
    const { hash, size, etag, lastModified } = kept;
    await update({ etag, lastModified, hash, size });
  }
}

function isFetched(file: PendingFile): file is KeptFile {
  return file.hash !== undefined && file.size !== undefined;
}

/** A publisher may offer the same content under a new name or address. */
async function isSame(folder: string, newest: Snapshot, files: readonly KeptFile[]): Promise<boolean> {
  const list = (kept: readonly KeptFile[]) => kept.map(({ hash }) => hash).sort();
  if (list(newest.files).join() !== list(files).join()) return false;
  for (const { name, size } of newest.files) {
    if (!(await isComplete(join(folder, newest.folder, name), size))) return false;
  }
  return true;
}

/** The kept files are current. The new addresses and versions of the files are stored, so that the next check is cheap. */
async function confirmNewest(fetching: Fetching, newest: Snapshot, fetched: Snapshot): Promise<Result> {
  const files = newest.files.map((kept) => {
    const same = fetched.files.filter(({ hash }) => hash === kept.hash);
    const { url, etag, lastModified } = same.find((file) => file.url === kept.url) ?? same[0] ?? kept;
    return { ...kept, url, etag, lastModified };
  });
  const snapshot = { ...newest, files };
  const { folder, state } = fetching;
  await rm(join(folder, fetched.folder), { recursive: true, force: true });
  const snapshots = [...state.snapshots.slice(0, -1), snapshot];
  await save(fetching, { checkedAt: fetched.fetchedAt, snapshots, pending: null });
  return { outcome: 'unchanged', message: null, files: listPaths(folder, snapshot) };
}

function checkSize(
  { register: { fetch: plan }, leftOut, addresses }: Fetching,
  files: readonly KeptFile[],
  newest: Snapshot | undefined,
): string | null {
  const size = addSizes(files);
  // The last publication may have files that are left out now.
  const isSmaller = leftOut.length > 0 && (newest?.files.length ?? 0) > files.length;
  const last = isSmaller ? 0 : addSizes(newest?.files ?? []);
  const has = `the download has ${formatCount(size)} bytes`;
  // An operator may mirror a part of a register, or another edition of it.
  const isUnbounded = plan.kind === 'manual' || addresses !== undefined;
  const { min, max } = isUnbounded ? { min: 0, max: Number.MAX_SAFE_INTEGER } : plan.size;
  if (size < min) return `${has}, but the register has at least ${formatCount(min)} bytes`;
  if (size > max) return `${has}, but the register has at most ${formatCount(max)} bytes`;
  return size * 2 < last ? `${has}, less than half of the ${formatCount(last)} bytes fetched before` : null;
}

function addSizes(files: readonly KeptFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/**
 * Moves files that failed a check to a folder with the reason; the newest such folders are kept. The other files of the snapshot stay, so that
 * the next fetch need not download these files again.
 */
async function refuse(
  { register, folder, settings }: Fetching,
  snapshot: string,
  refused: readonly KeptFile[],
  reason: string,
): Promise<Result> {
  const quarantine = join(folder, 'quarantine');
  const target = join(quarantine, snapshot);
  await mkdir(target, { recursive: true });
  for (const { name } of refused) await rename(join(folder, snapshot, name), join(target, name));
  await writeFile(join(target, 'reason.txt'), `${reason}\n`);
  const folders = (await readdir(quarantine)).sort();
  for (const old of folders.slice(0, -settings.keep)) await rm(join(quarantine, old), { recursive: true, force: true });
  const sentence = reason.charAt(0).toUpperCase() + reason.slice(1).replace(/\.$/, '');
  const advice = `compare it with ${register.sourceUrl}, and if it is right, import it yourself`;
  return {
    outcome: 'failed',
    message: `${sentence}. It was moved to ${target} and is not used: ${advice}.`,
    files: [],
  };
}

async function publish(fetching: Fetching, snapshot: Snapshot): Promise<Result> {
  const { folder, settings, request, state } = fetching;
  const all = [...state.snapshots, snapshot];
  const isInUse = ({ files }: Snapshot) => files.some(({ hash }) => request.inUse?.has(hash));
  const removed = all.slice(0, -settings.keep).filter((old) => !isInUse(old));
  for (const old of removed) await rm(join(folder, old.folder), { recursive: true, force: true });
  const snapshots = all.filter((each) => !removed.includes(each));
  await save(fetching, { checkedAt: snapshot.fetchedAt, snapshots, pending: null });
  return { outcome: 'new', message: null, files: listPaths(folder, snapshot) };
}

function writeTime({ clock }: SourceSettings): string {
  return new Date(clock.now()).toISOString();
}

export function listPaths(folder: string, snapshot: Snapshot): FetchResult['files'] {
  return snapshot.files.map((file) => ({ ...file, path: join(folder, snapshot.folder, file.name) }));
}

/** Returns why a downloaded file must not be kept, or null. `recognize` throws a FormatError if the file is not a file of the register. */
export async function checkFile(path: string, recognize: () => Promise<void>): Promise<string | null> {
  try {
    await readThrough(path);
    await recognize();
    return null;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

/** Unpacks an archive to its end: only then are a cut end, a wrong checksum and a zip bomb certain to be noticed. */
async function readThrough(path: string): Promise<void> {
  const { kind, files, close } = await openPackage(path);
  try {
    if (kind !== 'plain') for (const file of files) for await (const _chunk of file.open());
  } finally {
    await close();
  }
}

/** A name that sorts by time. No snapshot has this name, not even a snapshot that the state does not mention. */
async function nameSnapshot(folder: string, now: number, { snapshots }: SourceState): Promise<string> {
  const time = `${new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const taken = new Set([...(await readdir(folder)), ...snapshots.map((snapshot) => snapshot.folder)]);
  for (let count = 0; ; count++) {
    const name = count === 0 ? time : `${time}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** The newest kept version of a file, if it is still on disk. */
export async function findKept(folder: string, snapshot: Snapshot | undefined, url: string) {
  const file = snapshot?.files.find((candidate) => candidate.url === url);
  if (snapshot === undefined || file === undefined) return undefined;
  const path = join(folder, snapshot.folder, file.name);
  return (await isComplete(path, file.size)) ? { ...file, path } : undefined;
}

async function isComplete(path: string, size: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.size === size;
}

/** An unchanged file is part of the next snapshot too. A link takes no space; on file systems without links the file is copied. */
export async function reuseFile(from: string, to: string): Promise<void> {
  await rm(`${to}${PART}`, { force: true });
  await rm(to, { force: true });
  await link(from, to).catch(() => copyFile(from, to));
}
