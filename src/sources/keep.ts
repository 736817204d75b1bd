import { copyFile, link, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type KeptFile, PART, type Snapshot, type SourceState } from './state.ts';

const QUARANTINE = 'quarantine';

/** A name that sorts by time. No snapshot has it, not even one that the state does not mention. */
export async function nameSnapshot(folder: string, now: number, { snapshots }: SourceState): Promise<string> {
  const time = `${new Date(now).toISOString().replace(/[-:]/g, '').slice(0, 15)}Z`;
  const taken = new Set([...(await readdir(folder)), ...snapshots.map((snapshot) => snapshot.folder)]);
  for (let count = 0; ; count++) {
    const name = count === 0 ? time : `${time}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** The newest kept version of a file, if it is still on disk. */
export async function findKept(
  folder: string,
  snapshot: Snapshot | undefined,
  url: string,
): Promise<{ file: KeptFile; path: string } | undefined> {
  const file = snapshot?.files.find((candidate) => candidate.url === url);
  if (snapshot === undefined || file === undefined) return undefined;
  const path = join(folder, snapshot.folder, file.name);
  return (await isComplete(path, file.size)) ? { file, path } : undefined;
}

export async function isComplete(path: string, size: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.size === size;
}

/** An unchanged file is part of the next snapshot too. A link takes no space; on file systems without links the file is copied. */
export async function reuseFile(from: string, to: string): Promise<void> {
  await rm(`${to}${PART}`, { force: true });
  await rm(to, { force: true });
  await link(from, to).catch(() => copyFile(from, to));
}

/** Moves files that failed a check to a folder with the reason, and returns it. Only the newest `keep` are kept. */
export async function quarantine(
  folder: string,
  { name, paths, reason, keep }: { name: string; paths: readonly string[]; reason: string; keep: number },
): Promise<string> {
  const aside = join(folder, QUARANTINE);
  const target = join(aside, name);
  await mkdir(target, { recursive: true });
  for (const path of paths) await rename(path, join(target, basename(path)));
  await writeFile(join(target, 'reason.txt'), `${reason}\n`);
  const folders = (await readdir(aside)).sort();
  for (const old of folders.slice(0, -keep)) await rm(join(aside, old), { recursive: true, force: true });
  return target;
}
