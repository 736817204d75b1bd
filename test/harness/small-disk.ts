import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A disk that can be full: a small tmpfs, which gives ENOSPC as any other file system does. Limits of a process
 * (RLIMIT_FSIZE) give EFBIG instead, for one file at a time, and SQLite's own limit of pages never reaches the system.
 */
export interface SmallDisk {
  readonly folder: string;
  /** Takes all space but so many bytes. */
  fill(but?: number): void;
  /** Gives it back. */
  free(): void;
  remove(): void;
}

/** Undefined where this user may not mount anything. */
export function mountSmallDisk(megabytes: number): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-disk-'));
  const ballast = join(folder, 'ballast');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  return {
    folder,
    fill(but = 0) {
      const file = openSync(ballast, 'a');
      const reserve = join(folder, 'reserve');
      const reserved = openSync(reserve, 'w');
      if (but > 0) writeSync(reserved, Buffer.alloc(but));
      closeSync(reserved);
      const block = Buffer.alloc(4_096);
      try {
        for (;;) writeSync(file, block);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
        rmSync(reserve);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}
