import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { UsageError } from './command.ts';

/** Keeps the cursor in a file, so that the next run continues with the next change. */
export interface CursorFile {
  readonly cursor: string | undefined;
  write(cursor: string): void;
}

export function openCursorFile(path: string): CursorFile {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new UsageError(`The cursor file cannot be used: ${(error as Error).message}.`);
    }
  };
  return {
    cursor: attempt(() => readCursor(path)),
    write(cursor) {
      attempt(() => {
        // A process that is killed while it writes leaves the file as it was.
        writeFileSync(`${path}.new`, `${cursor}\n`);
        renameSync(`${path}.new`, path);
      });
    },
  };
}

function readCursor(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
