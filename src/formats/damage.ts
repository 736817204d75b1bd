import { basename } from 'node:path';
import { FormatError } from './rows.ts';

/** Turns an error of reading an archive into a message about the file. System errors (ENOENT, EIO) pass unchanged. */
export function describeDamage(path: string, error: unknown): unknown {
  if (error instanceof FormatError || (error instanceof Error && 'syscall' in error)) return error;
  return new FormatError(`${basename(path)} is truncated or damaged: download it again`, { cause: error });
}

/** Readers report the line or record of an error. This adds the name of the file, if the message lacks it. */
export function addFileName(error: unknown, file: string): unknown {
  if (!(error instanceof FormatError) || error.message.includes(file)) return error;
  return new FormatError(`${file}: ${error.message}`);
}
