import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from '../../terminal/command.ts';

export function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`File not found: ${path}`);
  if (!stats.isFile()) throw new CommandError(`${path} is not a regular file: name a file.`);
}

/** For a file that is going to be written. */
export function requireFreePath(path: string, suggestedName: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    throw new CommandError(`${path} is a folder: name the file, such as --out ${join(path, suggestedName)}`);
  }
  if (found !== undefined) {
    throw new CommandError(`${path} already exists. Remove it or choose another file with --out.`);
  }
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`The folder ${folder} does not exist: create it, or choose another file with --out.`);
  }
}

/** A full disk, or a folder that this user may not write to. */
export function describeWriteFailure(error: unknown): never {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  throw new CommandError(`The file could not be written: ${error.message}.`);
}
