import { parentPort, workerData } from 'node:worker_threads';
import { FormatError } from '../formats/rows.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { mapJob, planJobs, readRegisterCodes } from './jobs.ts';
import type { MappedBatch, Share } from './map-part.ts';
import { AHEAD } from './map-thread.ts';
import type { Problems } from './problems.ts';
import { type OpenedFile, recognizeFile } from './recognize.ts';

/** The thread behind `map-thread.ts`: opens the files again, finds the job, and sends it mapped, batch by batch. */
export interface Task {
  readonly register: string;
  /** All files of the import, for the code tables may be in another. */
  readonly paths: readonly string[];
  /** Which of all their jobs to do; both threads see them in the same order. */
  readonly position: number;
  readonly share: Share;
}

type Note = { [M in NoteMethod]: [M, ...Parameters<Problems[M]>] }[NoteMethod];
type NoteMethod = 'reject' | 'report' | 'noteWithoutNumber' | 'noteUnknownColumn' | 'noteUnmatched';

export type Message =
  | {
      readonly type: 'batch';
      readonly batch: MappedBatch;
      readonly notes: readonly Note[];
      readonly bytes: number;
    }
  | { readonly type: 'end'; readonly notes: readonly Note[] }
  | { readonly type: 'failed'; readonly name: string; readonly message: string };

const task = workerData as Task;
const send = (message: Message) => parentPort?.postMessage(message);

/** One permit a batch; the other side gives one back for each it has written. */
let permits = AHEAD;
let wake: (() => void) | undefined;
parentPort?.on('message', () => {
  permits++;
  wake?.();
});

/** Returns what was noted after the last batch. */
async function run(): Promise<readonly Note[]> {
  const register = registers.find(({ id }) => id === task.register) as Register;
  const opened: OpenedFile[] = [];
  for (const path of task.paths) opened.push(await recognizeFile(path, register, []));
  const parts = opened.flatMap((file) => file.parts);
  const job = planJobs(parts, register)[task.position];
  if (job === undefined) throw new FormatError('the files changed while they were being imported: try again');
  const codes = await readRegisterCodes(register, parts);
  let notes: Note[] = [];
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes = count;
  };
  for await (const batch of mapJob(
    job,
    register,
    codes,
    collectNotes((note) => notes.push(note)),
    onBytes,
    task.share,
  )) {
    while (permits === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    permits--;
    send({ type: 'batch', batch, notes, bytes });
    notes = [];
  }
  for (const file of opened) await file.close();
  return notes;
}

/** Problems are counted on the other side; here they are only written down. */
function collectNotes(keep: (note: Note) => void): Problems {
  const told = new Set<string>();
  const notes: Pick<Problems, NoteMethod> = {
    reject: (...values) => keep(['reject', ...values]),
    report: (...values) => keep(['report', ...values]),
    noteWithoutNumber: (...values) => keep(['noteWithoutNumber', ...values]),
    noteUnmatched: (...values) => keep(['noteUnmatched', ...values]),
    noteUnknownColumn(column) {
      if (!told.has(column)) keep(['noteUnknownColumn', column]);
      told.add(column);
    },
  };
  return notes as Problems;
}

run().then(
  (notes) => send({ type: 'end', notes }),
  (error: Error) =>
    send({ type: 'failed', name: error instanceof FormatError ? 'FormatError' : error.name, message: error.message }),
);
