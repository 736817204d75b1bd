import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatCount } from '../core/format-count.ts';
import type { Register } from '../registers/contract.ts';
import { limitTime } from './attempts.ts';
import { checkFile } from './check.ts';
import { downloadFile } from './download.ts';
import type { OfferedFile } from './find.ts';
import { findKept, isComplete, nameSnapshot, quarantine, reuseFile } from './keep.ts';
import type { FetchRequest, FetchResult, SourceSettings } from './options.ts';
import type { Connection } from './requests.ts';
import { NO_VALIDATORS } from './responses.ts';
import { type KeptFile, type Pending, type PendingFile, type Snapshot, type SourceState, writeState } from './state.ts';

/**
 * A fetch in progress: the state on disk is always that of the last completed step, so that a killed fetch continues. A folder is
 * removed before its entry is removed from the state, so that no folder is left over.
 */
export interface Fetching {
  /** Without the files of parties that are left out. */
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

/** Downloads the offered files and keeps them if they are new and pass all checks. */
export async function keepSnapshot(fetching: Fetching, offered: readonly OfferedFile[]): Promise<Result> {
  const { folder, settings, register } = fetching;
  const started = await openPending(fetching, offered);
  for (const file of offered) await fetchFile(fetching, started.folder, file);
  const pending = fetching.state.pending ?? started;
  const files = pending.files.filter(isFetched);
  const newest = fetching.state.snapshots.at(-1);
  if (newest !== undefined && (await isSame(folder, newest, files))) return confirmNewest(fetching, newest, files);
  const fresh = files.filter(({ hash }) => !newest?.files.some((kept) => kept.hash === hash));
  for (const file of fresh) {
    const path = join(folder, pending.folder, file.name);
    const reason = await checkFile(path, () => settings.recognize(path, register));
    if (reason !== null) return refuse(fetching, pending, [file], reason);
  }
  const reason = checkSize(fetching, files, newest);
  if (reason !== null) return refuse(fetching, pending, fresh, reason);
  return publish(fetching, { folder: pending.folder, fetchedAt: writeTime(fetching), files });
}

async function save(fetching: Fetching, change: Partial<SourceState>): Promise<void> {
  fetching.state = { ...fetching.state, ...change };
  await writeState(fetching.folder, fetching.state);
}

/** Continues the fetch that was interrupted, if the publisher still offers the same files. */
async function openPending(fetching: Fetching, offered: readonly OfferedFile[]): Promise<Pending> {
  const { folder, state, settings } = fetching;
  const list = (ids: readonly string[] | undefined) => ids?.join('\n');
  const isSameOffer = list(state.pending?.files.map(({ url }) => url)) === list(offered.map(({ id }) => id));
  let { pending } = state;
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
  const kept = isDone ? { file: entry, path } : await findKept(folder, state.snapshots.at(-1), id);
  const failure = `${new URL(id).host} did not send the file ${name}`;
  using limit = limitTime(settings.limits.fileMs, connection.signal, failure);
  const download = {
    url: await locate(),
    path,
    kept: kept?.file ?? NO_VALIDATORS,
    started: isFetched(entry) ? NO_VALIDATORS : entry,
    maxBytes: register.fetch.kind === 'manual' ? Number.MAX_SAFE_INTEGER : register.fetch.size.max,
    start: update,
    onProgress: (bytes: number, totalBytes: number | null) => request.onProgress({ file: name, bytes, totalBytes }),
  };
  const downloaded = await downloadFile(download, { ...connection, signal: limit.signal });
  if (downloaded !== null) await update(downloaded);
  else if (kept !== undefined && kept.path !== path) {
    await reuseFile(kept.path, path);
    const { hash, size, etag, lastModified } = kept.file;
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

/** The kept files are the current ones. Their new addresses and versions are stored, so that the next check is cheap. */
async function confirmNewest(fetching: Fetching, newest: Snapshot, files: readonly KeptFile[]): Promise<Result> {
  const confirmed = newest.files.map((kept) => {
    const same = files.filter(({ hash }) => hash === kept.hash);
    const { url, etag, lastModified } = same.find((file) => file.url === kept.url) ?? same[0] ?? kept;
    return { ...kept, url, etag, lastModified };
  });
  const snapshot = { ...newest, files: confirmed };
  const { folder, state } = fetching;
  if (state.pending !== null) await rm(join(folder, state.pending.folder), { recursive: true, force: true });
  const snapshots = [...state.snapshots.slice(0, -1), snapshot];
  await save(fetching, { checkedAt: writeTime(fetching), snapshots, pending: null });
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
  const has = `the download has ${formatBytes(size)}`;
  // An operator may mirror a part of a register, or another edition of it.
  const isUnbounded = plan.kind === 'manual' || addresses !== undefined;
  const { min, max } = isUnbounded ? { min: 0, max: Number.MAX_SAFE_INTEGER } : plan.size;
  if (size < min) return `${has}, but the register has at least ${formatBytes(min)}`;
  if (size > max) return `${has}, but the register has at most ${formatBytes(max)}`;
  return size * 2 < last ? `${has}, less than half of the ${formatBytes(last)} fetched before` : null;
}

function addSizes(files: readonly KeptFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function formatBytes(bytes: number): string {
  return `${formatCount(bytes)} bytes`;
}

/** Moves the files aside. The other files of the snapshot stay, so that the next fetch need not download them again. */
async function refuse(
  fetching: Fetching,
  pending: Pending,
  refused: readonly KeptFile[],
  reason: string,
): Promise<Result> {
  const { register, folder, settings } = fetching;
  const names = new Set(refused.map(({ name }) => name));
  const paths = refused.map(({ name }) => join(folder, pending.folder, name));
  const files = pending.files.map((file) => {
    return names.has(file.name) ? { url: file.url, name: file.name, ...NO_VALIDATORS } : file;
  });
  await save(fetching, { pending: { ...pending, files } });
  const aside = await quarantine(folder, { name: pending.folder, paths, reason, keep: settings.keep });
  const sentence = reason.charAt(0).toUpperCase() + reason.slice(1).replace(/\.$/, '');
  const advice = `compare it with ${register.sourceUrl}, and if it is right, import it yourself`;
  const message = `${sentence}. It was moved to ${aside} and is not used: ${advice}.`;
  return { outcome: 'failed', message, files: [] };
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

function writeTime({ settings }: Fetching): string {
  return new Date(settings.clock.now()).toISOString();
}

export function listPaths(folder: string, snapshot: Snapshot): FetchResult['files'] {
  return snapshot.files.map((file) => ({ ...file, path: join(folder, snapshot.folder, file.name) }));
}
