import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { preparePrivateFile } from './open.ts';

/**
 * Copies a SQLite file as of one commit while other connections read and write it. Returns the size in bytes.
 *
 * All pages are copied in one step. A backup in several steps starts again whenever somebody writes in between, which under load always happens. The
 * step blocks no writers, because readers do not block writers in WAL mode. The target gets its name only when it is complete and on disk, so it is
 * never partial, even after a power failure.
 */
export async function backUpSqlite(file: string, target: string): Promise<number> {
  // Opening a missing file would create an empty database.
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const partial = `${target}.partial`;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    rmSync(partial, { force: true });
    preparePrivateFile(partial);
    await backup(database, partial, { rate: ALL_PAGES });
    flushToDisk(partial);
    renameSync(partial, target);
    flushToDisk(dirname(target));
  } finally {
    database.close();
    for (const left of [partial, `${partial}-journal`]) rmSync(left, { force: true });
  }
  return statSync(target).size;
}

const ALL_PAGES = 2 ** 31 - 1;

function flushToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
