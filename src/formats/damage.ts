import { basename } from 'node:path';
import { FormatError } from './rows.ts';

/** What to tell when reading an archive failed: troubles of the system stay what they are, all else is the file's fault. */
export function explainDamage(path: string, error: unknown): unknown {
  if (error instanceof FormatError || (error instanceof Error && 'syscall' in error)) return error;
  return new FormatError(`${basename(path)} is truncated or damaged: download it again`, { cause: error });
}
