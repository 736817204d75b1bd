import type { PartyModes } from '../core/party-modes.ts';
import { openExistingStore, type StorePlace } from '../db/open.ts';
import { removeExcess } from '../importing/removal/remove-persons.ts';
import { registers } from '../registers/index.ts';
import { createEmitter, serveThread } from '../system/thread-worker.ts';
import type { RemovalEvents, RemovalThread } from './parties.ts';

/** The thread that removes what PARTIES leaves out. SQLite blocks it for minutes while it rewrites a large file. */
const emit = createEmitter<RemovalEvents>();

void serveThread<RemovalThread>({
  async remove(place: StorePlace, modes: PartyModes) {
    const db = openExistingStore('registry', { ...place, poolSize: 1 });
    try {
      return await removeExcess(db, registers, modes, (text) => emit('progress', text));
    } finally {
      await db.close();
    }
  },
});
