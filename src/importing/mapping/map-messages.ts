import type { JobPlan } from '../jobs.ts';
import type { CodeTables, MappedBatch, Share } from './map-part.ts';
import type { ImportedPart } from '../../records/origins.ts';
import type { PackedRecords } from './packed-records.ts';
import type { ProblemSink } from './problems.ts';

/** What the import and its mapping threads send each other. Only plain data can cross threads. */
export interface Task {
  /** Id of the register: its functions cannot be sent. */
  readonly register: string;
  readonly job: JobPlan;
  /** All parts of the import. */
  readonly parts: readonly ImportedPart[];
  readonly codeTables: CodeTables;
  readonly share: Share;
}

/** A call of a method of `ProblemSink`, to be repeated in the thread that counts problems. */
export type Note = { [M in keyof ProblemSink]: [M, ...Parameters<ProblemSink[M]>] }[keyof ProblemSink];

export type Message =
  | {
      readonly type: 'batch';
      readonly batch: Omit<MappedBatch, 'prepared'>;
      readonly packed: PackedRecords;
      readonly notes: readonly Note[];
      /** Bytes read so far. */
      readonly bytes: number;
    }
  | { readonly type: 'end'; readonly notes: readonly Note[] }
  | { readonly type: 'failed'; readonly name: string; readonly message: string };

/** How many batches a thread may be ahead of the writer: bounds memory when the database is slower than mapping. */
export const MAX_BATCHES_AHEAD = 4;
