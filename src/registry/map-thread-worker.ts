import { parentPort, workerData } from 'node:worker_threads';
import { FormatError } from '../formats/rows.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { mapJob, openJob, readCodes } from './jobs.ts';
import { MAX_BATCHES_AHEAD, type Message, type Note, type Task } from './map-messages.ts';
import type { ProblemSink } from './problems.ts';
import { indexRegisters } from './record.ts';

/** The thread behind `map-thread.ts`: opens the planned files, maps its share of the rows and sends them in batches. */
const task = workerData as Task;
const send = (message: Message) => parentPort?.postMessage(message);

/** Each batch takes one permit; the writer returns it after writing the batch. */
let permits = MAX_BATCHES_AHEAD;
let wake: (() => void) | undefined;
parentPort?.on('message', () => {
  permits++;
  wake?.();
});

async function takePermit(): Promise<void> {
  while (permits === 0) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  permits--;
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
    await takePermit();
    send({ type: 'batch', batch, notes, bytes });
    notes = [];
  }
  await close();
  return notes;
}

/** The main thread counts problems; this one only records the calls. An unknown column is sent once. */
function recordNotes(keep: (note: Note) => void): ProblemSink {
  const sentColumns = new Set<string>();
  return {
    reject: (...values) => keep(['reject', ...values]),
    report: (...values) => keep(['report', ...values]),
    reportUnknown: (...values) => keep(['reportUnknown', ...values]),
    noteWithoutNumber: (...values) => keep(['noteWithoutNumber', ...values]),
    noteUnmatched: (...values) => keep(['noteUnmatched', ...values]),
    noteSynthetic: (...values) => keep(['noteSynthetic', ...values]),
    noteUnknownColumn(column) {
      if (!sentColumns.has(column)) keep(['noteUnknownColumn', column]);
      sentColumns.add(column);
    },
  };
}

run().then(
  (notes) => send({ type: 'end', notes }),
  (error: Error) =>
    send({ type: 'failed', name: error instanceof FormatError ? 'FormatError' : error.name, message: error.message }),
);
