import { accessSync, constants, statfsSync } from 'node:fs';
import { isDeep } from './depth.ts';

const FOLDER = '/dev/shm';
const DISK_BYTES = 4e9;
const MEMORY_BYTES = 8e9;

/**
 * Puts the temporary folder into memory where there is room for it: otherwise tests wait for the disk with every commit of
 * an SQLite file and every new database. The deep run stays on the disk.
 */
export function useMemoryDisk(): void {
  if (!isDeep && process.env.TMPDIR === undefined && hasRoom()) process.env.TMPDIR = FOLDER;
}

function hasRoom(): boolean {
  try {
    accessSync(FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(FOLDER);
    return bavail * bsize >= DISK_BYTES && process.availableMemory() >= MEMORY_BYTES;
  } catch {
    return false;
  }
}
