import { type Deliverable, deliver, serveThread } from '../../base/system/thread.ts';
import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { buildCodes, mapJob, openJob } from '../jobs.ts';
import { type MapThread, type Note, pack, recordNotes, type SentBatch, type Task } from './map-thread.ts';
import { createPrepareTools } from './prepare.ts';

/** The thread behind `map-thread.ts`: opens the planned files, maps its share of the rows and sends them in batches. */

/** How many batches a thread may be ahead of the writer: bounds memory when the database is slower than mapping. */
const MAX_BATCHES_AHEAD = 4;

/** The length of a large batch, in characters. Usual batches are far smaller. */
const LARGE = 8 * 1024 * 1024;

/** Returns the notes made after the last batch. */
async function* map(task: Task): AsyncGenerator<Deliverable<SentBatch>, readonly Note[]> {
  const register = registers.find(({ id }) => id === task.register) as Register;
  await using job = await openJob(task.job, register);
  let notes: Note[] = [];
  let bytes = 0;
  const tools = {
    ...createPrepareTools(register, registers, task.modes, task.suppressed),
    parts: task.parts,
    codes: buildCodes(register, task.codeTables),
    problems: recordNotes((note) => notes.push(note)),
    onBytes(count: number) {
      bytes = count;
    },
  };
  for await (const { prepared, ...batch } of mapJob(job, tools, task.share)) {
    const packed = pack(prepared);
    const length = packed.texts.reduce((size, text) => size + text.length, 0);
    // A large batch waits until all earlier batches were written.
    const weight = length > LARGE ? MAX_BATCHES_AHEAD : 1;
    yield deliver({ batch, packed, notes, bytes }, [], weight);
    notes = [];
  }
  return notes;
}

void serveThread<MapThread>({ map }, { maxAhead: MAX_BATCHES_AHEAD });
