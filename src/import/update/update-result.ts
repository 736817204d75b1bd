import type { FetchResult } from '../fetch/options.ts';
import type { ImportResult } from '../import-result.ts';

/**
 * `updated`: imported; `unchanged`: the data comes from the publisher's current files; `available`: a check has found new files;
 * `unknown`: a check cannot find out, because only a download shows it; `manual`: a person has to download the files; `busy`: another
 * process updates, fetches or imports the register; `failed`: nothing was changed.
 */
export type UpdateOutcome = 'updated' | 'unchanged' | 'available' | 'unknown' | 'manual' | 'busy' | 'failed';

/** As `firmament update --json` prints it. */
export interface UpdateResult {
  readonly register: string;
  readonly outcome: UpdateOutcome;
  /** What happened and what to do, if there is something to say. */
  readonly message: string | null;
  /** The number of the import; null if nothing was imported. */
  readonly generation: number | null;
  readonly counts: ImportResult['counts'] | null;
  /** Warnings of the import. */
  readonly warnings: readonly string[];
  /** The newest kept files. */
  readonly files: FetchResult['files'];
  readonly seconds: number;
}

export function describeUpdate(
  register: string,
  outcome: UpdateOutcome,
  details: Partial<Omit<UpdateResult, 'register' | 'outcome'>>,
): UpdateResult {
  return {
    register,
    outcome,
    message: null,
    generation: null,
    counts: null,
    warnings: [],
    files: [],
    seconds: 0,
    ...details,
  };
}
