import { createWithholding } from '../../records/withholding.ts';
import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { type Deliverable, deliver, serveThread } from '../../system/thread-worker.ts';
import { mapJob, openJob, readCodes } from '../jobs.ts';
import type { MappedBatch } from './map-part.ts';
import type { MapThread, SentBatch, Task } from './map-thread.ts';
import { type Note, recordNotes } from './notes.ts';
import { packRecords } from './packed-records.ts';
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

void serveThread<MapThread>({ map }, { maxAhead: MAX_BATCHES_AHEAD });
