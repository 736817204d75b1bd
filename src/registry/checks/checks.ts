import type { Db } from '../../base/db/db.ts';
import { listChecks, recordFailure, recordSuccess } from './store.ts';

export type { SourceCheck } from './store.ts';

export type SourceChecks = ReturnType<typeof createSourceChecks>;

/** When each register was last compared with its publisher's files, and what failed since. All machines of a cluster share this list. */
export function createSourceChecks(db: Db) {
  return {
    /** Registers that were never checked are not in the list. */
    list: () => listChecks(db),
    recordSuccess: (register: string, now: number) => recordSuccess(db, register, now),
    /** `problem` is one sentence: what happened, and what to do. */
    recordFailure: (register: string, problem: string, now: number) => recordFailure(db, register, problem, now),
  };
}
