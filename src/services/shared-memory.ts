import { createKeyChanges, type KeyChanges } from '../accounts/key-cache.ts';
import type { StoreName } from '../db/db.ts';
import { createWriterTurns, type WriterTurns } from '../db/sqlite.ts';
import { createGuesses, type Guesses } from '../operations/guess-throttle.ts';

/** Memory shared by all threads of the process: a change that one thread makes is visible to all of them immediately. */
export interface SharedMemory {
  readonly keyChanges: KeyChanges;
  readonly guesses: Guesses;
  /** One per SQLite file. */
  readonly turns: Readonly<Record<StoreName, WriterTurns>>;
}

export function createSharedMemory(): SharedMemory {
  const turns = { registry: createWriterTurns(), accounts: createWriterTurns() };
  return { keyChanges: createKeyChanges(), guesses: createGuesses(), turns };
}
