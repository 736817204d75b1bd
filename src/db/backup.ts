import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';

/**
 * A copy of a SQLite file while others read and write it: all of it as of one commit. Copied in one step, because a backup
 * in several steps begins anew whenever somebody writes in between, and under load somebody always does; nobody waits for
 * that step, for readers do not hold up writers. Returns the bytes copied. A file of the target's name is there whole or not at
 * all, also after a power failure.
 */
export async function backUpSqlite(file: string, target: string): Promise<number> {
  // Opening would make a file that is not there.
  if (!existsSync(file)) throw new Error(`there is no ${file}`);
  const partial = `${target}.partial`;
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    await backup(database, partial, { rate: ALL_PAGES });
    synchronize(partial);
    renameSync(partial, target);
    synchronize(dirname(target));
  } finally {
    database.close();
    for (const left of [partial, `${partial}-journal`]) rmSync(left, { force: true });
  }
  return statSync(target).size;
}

const ALL_PAGES = 2 ** 31 - 1;

function synchronize(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
