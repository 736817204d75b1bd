import { openStore } from '../../src/db/open.ts';
import { createMemorySearch } from '../../src/search/memory/memory-search.ts';

/** A process that follows a store and prints a line for each state that it serves. */
const { location, maxOverlay } = JSON.parse(process.argv[2] ?? '');
const print = (_fields: unknown, message?: string) => void process.stdout.write(`${message}\n`);
const db = openStore('registry', location);
const log = { info: print, warn: print };
createMemorySearch({ db, location, log, pollMs: 5, maxOverlay: () => maxOverlay }).start();
