import type { Queries } from '../../base/db/db.ts';

/** When each register was last compared with its publisher's files, and what failed since. All machines of a cluster share this list. */
export interface SourceCheck {
  readonly register: string;
  readonly attemptedAt: number;
  /** When the last successful check of the publisher's files was. */
  readonly checkedAt: number | null;
  /** Failed attempts since `checkedAt`. */
  readonly failures: number;
  /** What the last attempt failed with, and what to do; null if it succeeded. */
  readonly problem: string | null;
}

/** Registers that were never checked are not in the list. */
export async function listChecks(db: Queries): Promise<SourceCheck[]> {
  return db.all<SourceCheck>(
    `SELECT register, attempted_at AS "attemptedAt", checked_at AS "checkedAt", failures, problem
      FROM source_checks ORDER BY register`,
  );
}

export async function recordSuccess(db: Queries, register: string, now: number): Promise<void> {
  await db.run(
    `INSERT INTO source_checks (register, attempted_at, checked_at, failures, problem) VALUES ($1, $2, $2, 0, NULL)
      ON CONFLICT (register) DO UPDATE SET attempted_at = $2, checked_at = $2, failures = 0, problem = NULL`,
    [register, now],
  );
}

/** `problem` is one sentence: what happened, and what to do. */
export async function recordFailure(db: Queries, register: string, problem: string, now: number): Promise<void> {
  await db.run(
    `INSERT INTO source_checks (register, attempted_at, checked_at, failures, problem) VALUES ($1, $2, NULL, 1, $3)
      ON CONFLICT (register) DO UPDATE SET attempted_at = $2, failures = source_checks.failures + 1, problem = $3`,
    [register, now, problem],
  );
}
