import { rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the lock of a folder, so that two processes never write the same files, or returns null if another process has it. The lock is that of SQLite
 * on an empty file: the operating system releases it when the process ends, also when the process is killed.
 */
export function takeLock(path: string): Disposable | null {
  for (;;) {
    // SQLite creates the file. The file is not opened in another way: closing it would release all locks that this process has on it.
    new DatabaseSync(path).close();
    const file = findFile(path);
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if (Reflect.get(Object(error), 'errcode') === BUSY) return null;
      throw error;
    }
    if (file !== undefined && findFile(path) === file) {
      return {
        [Symbol.dispose]() {
          rmSync(path, { force: true });
          database.close();
        },
      };
    }
    // The previous owner has removed the file since, so other processes lock a new file.
    database.close();
  }
}

const BUSY = 5;

function findFile(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
