import { fail } from '../core/errors.ts';

/** What the result codes of SQLite mean for callers. */

const BUSY = 5;
/**
 * Result codes that mean "the database cannot serve now", not "the statement is wrong": busy, locked, read-only, I/O
 * error, corrupt, full, cannot open, not a database.
 */
const UNAVAILABLE = new Set([BUSY, 6, 8, 10, 11, 13, 14, 26]);

/** Corrupt, not a database. Other I/O errors do not mean that what was read is wrong. */
const DAMAGED = new Set([11, 26]);

export function isDamaged(error: unknown): boolean {
  const code = primaryCode(error);
  return code !== undefined && DAMAGED.has(code);
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

export function toFailure(error: unknown): unknown {
  const code = primaryCode(error);
  const closed = error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
  if (closed || (code !== undefined && UNAVAILABLE.has(code))) {
    return fail('service_unavailable', { cause: error, retryAfter: 1 });
  }
  return error;
}

/** Drops the upper bits, in which SQLite adds details to the primary code. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}
