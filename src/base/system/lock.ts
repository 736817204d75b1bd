import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Clock } from '../clock.ts';

const RENEW_MS = 5_000;
/** A lock that was not renewed for this long is left over from a process that was killed. */
const STALE_MS = 60_000;

/**
 * Takes the lock of a folder, so that two processes never write the same files, or returns null if another process has it. The lock of a process that
 * no longer exists is taken over. A process id alone is not enough: in containers, every process tends to have the same id, and other machines may
 * share the folder.
 */
export async function takeLock(path: string, clock: Clock): Promise<{ release(): Promise<void> } | null> {
  const owner = `${process.pid} ${hostname()} ${randomUUID()}`;
  const isTaken =
    (await createLock(path, owner, clock)) ||
    ((await removeStale(path, clock)) && (await createLock(path, owner, clock)));
  if (!isTaken) return null;
  const renewal = setInterval(() => void renew(path, clock).catch(() => {}), RENEW_MS);
  renewal.unref();
  return {
    async release() {
      clearInterval(renewal);
      // Another process may have taken over the lock, if this process was suspended for a while.
      const current = await readFile(path, 'utf8').catch(() => undefined);
      if (current === owner) await rm(path, { force: true });
    },
  };
}

/** A link appears with its content, so no process reads an empty lock. */
async function createLock(path: string, owner: string, clock: Clock): Promise<boolean> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, owner);
  await renew(own, clock);
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function renew(path: string, clock: Clock): Promise<void> {
  const now = new Date(clock.now());
  await utimes(path, now, now);
}

async function removeStale(path: string, clock: Clock): Promise<boolean> {
  const seen = await readFile(path, 'utf8').catch(() => undefined);
  if (seen === undefined) return true;
  if (!(await isStale(path, seen, clock))) return false;
  // Two processes may find the same stale lock. The slower process might move the new lock of the faster process: then it puts the lock back.
  const moved = `${path}.${randomUUID()}`;
  try {
    await rename(path, moved);
    const isSame = (await readFile(moved, 'utf8')) === seen;
    if (!isSame) await link(moved, path).catch(() => {});
    return isSame;
  } catch {
    return false;
  } finally {
    await rm(moved, { force: true });
  }
}

async function isStale(path: string, owner: string, clock: Clock): Promise<boolean> {
  const [pid, host] = owner.split(' ');
  if (host === hostname() && !isRunning(Number(pid))) return true;
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined || clock.now() - stats.mtimeMs > STALE_MS;
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return Reflect.get(Object(error), 'code') === 'EPERM';
  }
}
