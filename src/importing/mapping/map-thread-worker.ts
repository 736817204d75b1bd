import { parentPort, workerData } from 'node:worker_threads';
import { FormatError } from '../../formats/rows.ts';
import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { mapJob, openJob, readCodes } from '../jobs.ts';
import { MAX_BATCHES_AHEAD, type Message, type Note, type Task } from './map-messages.ts';
import type { MappedBatch } from './map-part.ts';
import { packRecords } from './packed-records.ts';
import type { ProblemSink } from './problems.ts';
import { indexRegisters } from './record.ts';

/** The thread behind `map-thread.ts`: opens the planned files, maps its share of the rows and sends them in batches. */
const task = workerData as Task;
const send = (message: Message, moved: ArrayBuffer[] = []) => parentPort?.postMessage(message, moved);

/** A batch takes one permit, a large one all of them; the writer returns them after writing the batch. */
let permits = MAX_BATCHES_AHEAD;
const taken: number[] = [];
let wake: (() => void) | undefined;
parentPort?.on('message', () => {
  permits += taken.shift() ?? 0;
  wake?.();
});

async function takePermits(count: number): Promise<void> {
  while (permits < count) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  permits -= count;
  taken.push(count);
}

/** In characters. Batches of records of usual length are far smaller. */
const LARGE = 8 * 1024 * 1024;

function isLarge({ prepared }: MappedBatch): boolean {
  return prepared.reduce((size, { content }) => size + content.text.length, 0) > LARGE;
}

/** Returns the notes made after the last batch. */
async function run(): Promise<readonly Note[]> {
  const register = registers.find(({ id }) => id === task.register) as Register;
  const { job, close } = await openJob(task.job, register);
  let notes: Note[] = [];
  let bytes = 0;
  const tools = {
    register,
    registers: indexRegisters(registers),
    parts: task.parts,
    codes: readCodes(register, task.codeTables),
    problems: recordNotes((note) => notes.push(note)),
    onBytes(count: number) {
      bytes = count;
    },
  };
  for await (const batch of mapJob(job, tools, task.share)) {
    await takePermits(isLarge(batch) ? MAX_BATCHES_AHEAD : 1);
    const { prepared, ...rest } = batch;
    const packed = packRecords(prepared);
    send({ type: 'batch', batch: rest, packed, notes, bytes }, [packed.numbers.buffer]);
    notes = [];
  }
  await close();
  return notes;
}

/** Characters of a value that are sent. Fewer are kept; a value can be as long as a row. */
const MAX_SENT = 200;
/** More than are shown. Records of a tree can have any number of different keys. */
const MAX_COLUMNS_SENT = 100;

/** The main thread counts problems; this one only records the calls. An unknown column is sent once. */
function recordNotes(keep: (note: Note) => void): ProblemSink {
  const sentColumns = new Set<string>();
  return {
    reject: (...values) => keep(['reject', ...values]),
    report: (file, place, column, value, problem) =>
      keep(['report', file, place, column, value?.slice(0, MAX_SENT) ?? null, problem]),
    reportUnknown: (file, place, kind, column, value) =>
      keep(['reportUnknown', file, place, kind, column, value.slice(0, MAX_SENT)]),
    noteWithoutNumber: (...values) => keep(['noteWithoutNumber', ...values]),
    noteUnmatched: (...values) => keep(['noteUnmatched', ...values]),
    noteSynthetic: (...values) => keep(['noteSynthetic', ...values]),
    noteUnknownColumn(column) {
      if (sentColumns.size === MAX_COLUMNS_SENT || sentColumns.has(column)) return;
      sentColumns.add(column);
      keep(['noteUnknownColumn', column.slice(0, MAX_SENT)]);
    },
  };
}

run().then(
  (notes) => send({ type: 'end', notes }),
  (error: Error) =>
    send({ type: 'failed', name: error instanceof FormatError ? 'FormatError' : error.name, message: error.message }),
);
