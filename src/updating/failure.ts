import { Failure, reasonOf } from '../core/errors.ts';

/** Why an update failed for another reason than the publisher's files: one sentence, and whether it may be a bug. */
export function describeFailure(error: unknown): { readonly message: string; readonly isUnexpected: boolean } {
  if (error instanceof Failure) {
    const message = `The database is not available (${reasonOf(error)}): nothing was changed, run the command again when it is.`;
    return { message, isUnexpected: false };
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = `The update ended with an unexpected error (${reason}): nothing was changed, see the log and report it.`;
  return { message, isUnexpected: true };
}
