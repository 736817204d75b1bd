import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Register } from '../registers/contract.ts';
import { limitTime } from './attempts.ts';
import { checkFile } from './check.ts';
import { downloadFile } from './download.ts';
import type { OfferedFile } from './find.ts';
import { findKept, isComplete, nameSnapshot, quarantine, removeSnapshots, reuseFile } from './keep.ts';
import type { FetchOptions } from './options.ts';
import { NO_VALIDATORS, type Validators } from './responses.ts';
import { type KeptFile, type Pending, type PendingFile, type Snapshot, type SourceState, writeState } from './state.ts';

/**
 * A fetch in progress: the state on disk is always that of the last completed step, so that a killed fetch continues. A folder is
 * removed before its entry is removed from the state, so that no folder is left over.
 */
interface Work {
  readonly register: Register;
  readonly folder: string;
  readonly options: FetchOptions;
  state: SourceState;
}

export interface SnapshotResult {
  readonly snapshot: Snapshot;
  readonly isNew: boolean;
}

/** Downloads the offered files and keeps them if they are new and pass all checks, or returns why they are refused. */
export async function keepSnapshot(
  register: Register,
  offered: readonly OfferedFile[],
  { folder, state, options }: { folder: string; state: SourceState; options: FetchOptions },
): Promise<SnapshotResult | { readonly refusal: string }> {
  const work: Work = { register, folder, options, state };
  let pending = await openPending(work, offered);
  for (const file of offered) pending = await fetchFile(work, pending, file);
  const files = pending.files.filter(isFetched);
  const newest = work.state.snapshots.at(-1);
  if (newest !== undefined && (await isSame(folder, newest, files))) return confirmNewest(work, newest, files);
  const fresh = files.filter(({ hash }) => !newest?.files.some((kept) => kept.hash === hash));
  for (const file of fresh) {
    const reason = await checkFile(join(folder, pending.folder, file.name), options.recognize);
    if (reason !== null) return refuse(work, pending, [file], reason);
  }
  const reason = checkSize(register, files, newest, options.addresses !== undefined);
  if (reason !== null) return refuse(work, pending, fresh, reason);
  return publish(work, pending, files);
}

async function save(work: Work, change: Partial<SourceState>): Promise<void> {
  work.state = { ...work.state, ...change };
  await writeState(work.folder, work.state);
}

/** Continues the fetch that was interrupted, if the publisher still offers the same files. */
async function openPending(work: Work, offered: readonly OfferedFile[]): Promise<Pending> {
  const { pending: started } = work.state;
  const isSameOffer = started?.files.map(({ url }) => url).join('\n') === offered.map(({ id }) => id).join('\n');
  if (started !== null && !isSameOffer) {
    await rm(join(work.folder, started.folder), { recursive: true, force: true });
  }
  const pending =
    started !== null && isSameOffer
      ? started
      : {
          folder: await nameSnapshot(work.folder, work.options.clock.now(), work.state),
          files: offered.map(({ id, name }) => ({ url: id, name, ...NO_VALIDATORS })),
        };
  await save(work, { pending });
  await mkdir(join(work.folder, pending.folder), { recursive: true });
  return pending;
}

/** Brings one file into the folder of the snapshot: by downloading it, or from the last snapshot if it did not change. */
async function fetchFile(work: Work, pending: Pending, { id, locate }: OfferedFile): Promise<Pending> {
  const { folder, options, state, register } = work;
  const entry = pending.files.find((file) => file.url === id) as PendingFile;
  const path = join(folder, pending.folder, entry.name);
  let current = pending;
  const update = async (file: PendingFile) => {
    current = { ...current, files: current.files.map((other) => (other.url === id ? file : other)) };
    await save(work, { pending: current });
  };
  const isDone = isFetched(entry) && (await isComplete(path, entry.size));
  const kept = isDone ? { file: entry, path } : await findKept(folder, state.snapshots.at(-1), id);
  const limit = { ms: options.limits.fileMs, failure: `${new URL(id).host} did not send the file ${entry.name}` };
  const downloaded = await limitTime(limit, options.signal, async (signal) => {
    const download = {
      url: await locate(),
      path,
      kept: kept?.file ?? NO_VALIDATORS,
      started: isFetched(entry) ? NO_VALIDATORS : entry,
      maxBytes: register.fetch.kind === 'manual' ? Number.MAX_SAFE_INTEGER : register.fetch.size.max,
      start: (validators: Validators) => update({ url: id, name: entry.name, ...validators }),
      onProgress: (bytes: number, totalBytes: number | null) =>
        options.onProgress({ file: entry.name, bytes, totalBytes }),
    };
    return downloadFile(download, { ...options, signal });
  });
  if (downloaded !== null) await update({ url: id, name: entry.name, ...downloaded });
  else if (kept !== undefined && kept.path !== path) {
    await reuseFile(kept.path, path);
    await update({ ...kept.file, name: entry.name });
  }
  return current;
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
async function confirmNewest(work: Work, newest: Snapshot, files: readonly KeptFile[]): Promise<SnapshotResult> {
  const confirmed = newest.files.map((kept) => {
    const same = files.filter(({ hash }) => hash === kept.hash);
    const { url, etag, lastModified } = same.find((file) => file.url === kept.url) ?? same[0] ?? kept;
    return { ...kept, url, etag, lastModified };
  });
  const snapshot = { ...newest, files: confirmed };
  const { pending } = work.state;
  const snapshots = [...work.state.snapshots.slice(0, -1), snapshot];
  if (pending !== null) await rm(join(work.folder, pending.folder), { recursive: true, force: true });
  await save(work, { checkedAt: writeTime(work), snapshots, pending: null });
  return { snapshot, isNew: false };
}

function checkSize(
  { fetch: plan }: Register,
  files: readonly KeptFile[],
  newest: Snapshot | undefined,
  isOverride: boolean,
): string | null {
  const size = addSizes(files);
  const last = addSizes(newest?.files ?? []);
  const has = `the download has ${formatBytes(size)}`;
  // An operator may mirror a part of a register, or another edition of it.
  const { min, max } = plan.kind === 'manual' || isOverride ? { min: 0, max: Number.MAX_SAFE_INTEGER } : plan.size;
  if (size < min) return `${has}, but the register has at least ${formatBytes(min)}`;
  if (size > max) return `${has}, but the register has at most ${formatBytes(max)}`;
  return size * 2 < last ? `${has}, less than half of the ${formatBytes(last)} fetched before` : null;
}

function addSizes(files: readonly KeptFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function formatBytes(bytes: number): string {
  return `${bytes.toLocaleString('en-US')} bytes`;
}

/** Moves the files aside. The other files of the snapshot stay, so that the next fetch need not download them again. */
async function refuse(
  work: Work,
  pending: Pending,
  files: readonly KeptFile[],
  reason: string,
): Promise<{ refusal: string }> {
  const { register, folder, options } = work;
  const names = new Set(files.map(({ name }) => name));
  const paths = files.map(({ name }) => join(folder, pending.folder, name));
  const rest = pending.files.map((file) => {
    return names.has(file.name) ? { url: file.url, name: file.name, ...NO_VALIDATORS } : file;
  });
  await save(work, { pending: { ...pending, files: rest } });
  const aside = await quarantine(folder, { name: pending.folder, paths, reason, keep: options.keep });
  const sentence = reason.charAt(0).toUpperCase() + reason.slice(1).replace(/\.$/, '');
  const advice = `compare it with ${register.sourceUrl}, and if it is right, import it yourself`;
  return { refusal: `${sentence}. It was moved to ${aside} and is not used: ${advice}.` };
}

async function publish(work: Work, pending: Pending, files: readonly KeptFile[]): Promise<SnapshotResult> {
  const { folder, options } = work;
  const snapshot: Snapshot = { folder: pending.folder, fetchedAt: writeTime(work), files };
  const all = [...work.state.snapshots, snapshot];
  const isInUse = ({ files: old }: Snapshot) => old.some(({ hash }) => options.inUse?.has(hash));
  const removed = new Set(all.slice(0, -options.keep).filter((old) => !isInUse(old)));
  const snapshots = all.filter((each) => !removed.has(each));
  await removeSnapshots(folder, [...removed]);
  await save(work, { checkedAt: snapshot.fetchedAt, snapshots, pending: null });
  return { snapshot, isNew: true };
}

function writeTime({ options }: Work): string {
  return new Date(options.clock.now()).toISOString();
}
