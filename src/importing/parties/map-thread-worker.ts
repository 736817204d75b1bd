import { createWithholding } from '../../records/withholding.ts';
import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { serveThread } from '../../system/thread-worker.ts';
import { readCodes } from '../jobs.ts';
import { type Note, recordNotes } from '../mapping/notes.ts';
import { indexRegisters } from '../mapping/record.ts';
import { openParts, type Part } from '../reading/part.ts';
import { mapParties } from './map-parties.ts';
import { type PartyTask, type PartyThread, packParties, type SentParties } from './map-thread.ts';

/** The thread behind `map-thread.ts`: opens a planned part, maps its share of the rows and sends the parties in batches. */

async function* map(task: PartyTask): AsyncGenerator<SentParties, readonly Note[]> {
  const register = registers.find(({ id }) => id === task.register) as Register;
  const { parts, close } = await openParts([task.part], register);
  let notes: Note[] = [];
  let bytes = 0;
  const tools = {
    register,
    registers: indexRegisters(registers),
    // Of records of companies, which are not mapped here.
    withholding: createWithholding(register, {}),
    parts: task.parts,
    codes: readCodes(register, task.codeTables),
    problems: recordNotes((note) => notes.push(note)),
    onBytes(count: number) {
      bytes = count;
    },
  };
  for await (const batch of mapParties(parts[0] as Part, tools, task.mode, task.suppressed, task.share)) {
    yield { rows: batch.rows, tally: batch.tally, ...packParties(batch.prepared), notes, bytes };
    notes = [];
  }
  await close();
  return notes;
}

/** How many batches a thread may be ahead of the writer: bounds memory when the database is slower than mapping. */
void serveThread<PartyThread>({ map }, { maxAhead: 8 });
