import { systemClock } from '../../src/base/clock.ts';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { importFiles } from '../../src/import/import.ts';
import { gb } from '../../src/registers/gb/register.ts';
import { registers } from '../../src/registers/index.ts';

/** The process that imports a change, given as JSON in the first argument. Prints when it was committed. */
export interface ImportTask {
  readonly dataDir: string;
  readonly path: string;
}

export interface Imported {
  /** Epoch milliseconds. */
  readonly committedAt: number;
  readonly seconds: number;
  readonly added: number;
  readonly changed: number;
}

const { dataDir, path }: ImportTask = JSON.parse(process.argv[2] ?? '{}');
const db = openStore('registry', { dataDir, databaseUrl: undefined });
let committedAt = 0;
// An import ends with work that follows its commit, so the time is taken at the end of the transaction.
const timed: Db = {
  ...db,
  async transaction(work, options) {
    const result = await db.transaction(work, options);
    committedAt = systemClock.now();
    return result;
  },
};
const started = performance.now();
const { counts } = await importFiles(timed, systemClock, { register: gb, registers, paths: [path], mode: 'partial' });
const seconds = (performance.now() - started) / 1_000;
await db.close();
const { added, changed } = counts;
process.stdout.write(JSON.stringify({ committedAt, seconds, added, changed } satisfies Imported));
