import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A disk that a test can fill: a small tmpfs, which fails with ENOSPC like any other file system. A process limit
 * (RLIMIT_FSIZE) would fail with EFBIG, and per file; SQLite's own page limit never reaches the operating system.
 */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk and leaves this many bytes free. */
  fill(freeBytes?: number): void;
  /** Frees what `fill` used. */
  free(): void;
  remove(): void;
}

/** Returns undefined if the user is not allowed to mount. */
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
    fill(freeBytes = 0) {
      const file = openSync(ballast, 'a');
      const reserve = join(folder, 'reserve');
      const reserved = openSync(reserve, 'w');
      if (freeBytes > 0) writeSync(reserved, Buffer.alloc(freeBytes));
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
