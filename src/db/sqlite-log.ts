import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './sqlite-connection.ts';

/**
 * The write-ahead log of a SQLite file. SQLite copies it into the file by itself and writes it again from the start, but it does
 * not make it smaller while any connection is open: after an import, it stays as large as what the import has written.
 */
const RETRY_MS = 50;

/** Copies the log into the file and empties it, trying for a while if a reader uses it. Returns whether it is empty. */
export async function truncateLog(writer: Connection, patienceMs: number): Promise<boolean> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const result = writer.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    if (result?.busy === 0) return true;
    if (performance.now() >= until) return false;
    await sleep(RETRY_MS);
  }
}
