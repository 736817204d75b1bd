import { createWithholding } from '../../records/withholding.ts';
import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { type Deliverable, deliver, serveThread } from '../../system/thread-worker.ts';
import { mapJob, openJob, readCodes } from '../jobs.ts';
import type { MappedBatch } from './map-part.ts';
import type { MapThread, Note, SentBatch, Task } from './map-thread.ts';
import { packRecords } from './packed-records.ts';
import type { ProblemSink } from './problems.ts';
import { indexRegisters } from './record.ts';

/** The thread behind `map-thread.ts`: opens the planned files, maps its share of the rows and sends them in batches. */

/** How many batches a thread may be ahead of the writer: bounds memory when the database is slower than mapping. */
const MAX_BATCHES_AHEAD = 4;

/** In characters. Batches of records of usual length are far smaller. */
const LARGE = 8 * 1024 * 1024;

function isLarge({ prepared }: MappedBatch): boolean {
  return prepared.reduce((size, { content }) => size + content.text.length, 0) > LARGE;
}

/** Returns the notes made after the last batch. */
async function* map(task: Task): AsyncGenerator<Deliverable<SentBatch>, readonly Note[]> {
  const register = registers.find(({ id }) => id === task.register) as Register;
  const { job, close } = await openJob(task.job, register);
  let notes: Note[] = [];
  let bytes = 0;
  const tools = {
    register,
    registers: indexRegisters(registers),
    withholding: createWithholding(register, task.modes, task.suppressed),
    parts: task.parts,
    codes: readCodes(register, task.codeTables),
    problems: recordNotes((note) => notes.push(note)),
    onBytes(count: number) {
      bytes = count;
    },
  };
  for await (const batch of mapJob(job, tools, task.share)) {
    const { prepared, ...rest } = batch;
    const packed = packRecords(prepared);
    // A large batch waits until all before it were written.
    yield deliver(
      { batch: rest, packed, notes, bytes },
      [packed.numbers.buffer],
      isLarge(batch) ? MAX_BATCHES_AHEAD : 1,
    );
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

void serveThread<MapThread>({ map }, { maxAhead: MAX_BATCHES_AHEAD });
