import { type Stats, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Failure, fail } from '../core/errors.ts';

/**
 * Notices that a SQLite file was removed, replaced or truncated while it is open. SQLite does not: it keeps reading and writing
 * the file it has opened, even if that file was deleted, and answers from its cache. Charges would be lost without an error.
 */
export function watchFile(file: string) {
  let known = statSync(file);
  let changed = false;
  let problem: Failure | undefined;
  let checkAt = 0;
  /** The truncated state that was examined last. */
  let truncated: Stats | undefined;

  function findProblem(): string | undefined {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return 'is missing';
    // SQLite deletes the write-ahead log of an empty file when it opens it.
    if (found.size === 0) return 'is empty';
    if (found.ino !== known.ino || found.dev !== known.dev) {
      changed = true;
      return undefined;
    }
    if (found.size < known.size && (isSameState(found, truncated) || !isComplete(file, found.size))) {
      truncated = found;
      return 'is truncated';
    }
    known = found;
    return undefined;
  }

  function look(): Failure | undefined {
    try {
      const found = findProblem();
      if (found === undefined) return undefined;
      return fail('service_unavailable', { cause: new Error(`${file} ${found}`), retryAfter: 1 });
    } catch (error) {
      return fail('service_unavailable', { cause: error, retryAfter: 1 });
    }
  }

  return {
    /**
     * Whether the file has to be opened again. Throws `service_unavailable` while it is missing or truncated. Before a write, it
     * always looks: a write to a truncated file would damage it beyond what was cut off.
     */
    hasChanged(purpose: 'read' | 'write'): boolean {
      const now = performance.now();
      if (purpose === 'write' || now >= checkAt) {
        checkAt = now + CHECK_MS;
        problem = look();
        // The connections may have cached pages of the damaged file.
        if (problem !== undefined) changed = true;
      }
      if (problem !== undefined) throw problem;
      return changed;
    },
    /** Call it when what was read is damaged: the file has to be opened again, because the connections have cached it. */
    suspect(): void {
      changed = true;
      checkAt = 0;
    },
    /** Call it when the file has been opened again. */
    accept(): void {
      known = statSync(file);
      changed = false;
    },
  };
}

/** How often the file is looked at for reads, at most. A look takes a few microseconds. */
const CHECK_MS = 200;

function isSameState(one: Stats, other: Stats | undefined): boolean {
  return one.size === other?.size && one.mtimeMs === other.mtimeMs;
}

/** Checking every page of a larger file would block the process for too long. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

/** A file that got smaller is complete after a VACUUM: it has all its pages, or those that it lacks are in the write-ahead log. */
function isComplete(file: string, size: number): boolean {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const read = (pragma: string) => Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
    if (Number(read('page_count')) * Number(read('page_size')) <= size) return true;
    return size <= MAX_CHECKED_BYTES && read('quick_check(1)') === 'ok';
  } catch {
    return false;
  } finally {
    database.close();
  }
}
