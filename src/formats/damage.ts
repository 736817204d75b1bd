import { basename } from 'node:path';
import { FormatError } from './rows.ts';

/**
 * Turns an error while reading an archive into a message about the file. System errors (ENOENT, EIO) pass unchanged.
 */
export function describeDamage(path: string, error: unknown): unknown {
  if (error instanceof FormatError || (error instanceof Error && 'syscall' in error)) return error;
  return new FormatError(`${basename(path)} is truncated or damaged: download it again`, { cause: error });
}
