import type { Db } from '../../base/db/db.ts';
import { readChecks, recordFailure, recordSuccess, type SourceCheck } from './store.ts';

export type { SourceCheck } from './store.ts';

/** When each register was last compared with its publisher's files, and what failed since. All machines of a cluster share it. */
export interface SourceChecks {
  /** Registers that were never checked are not in the list. */
  list(): Promise<SourceCheck[]>;
  recordSuccess(register: string, now: number): Promise<void>;
  /** `problem` is one sentence: what happened, and what to do. */
  recordFailure(register: string, problem: string, now: number): Promise<void>;
}

export function createSourceChecks(db: Db): SourceChecks {
  return {
    list: () => readChecks(db),
    recordSuccess: (register, now) => recordSuccess(db, register, now),
    recordFailure: (register, problem, now) => recordFailure(db, register, problem, now),
  };
}
