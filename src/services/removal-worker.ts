import { openExistingStore, type StorePlace } from '../base/db/open.ts';
import type { PartyModes } from '../base/party-modes.ts';
import { serveThread } from '../base/system/thread.ts';
import { removeExcess } from '../import/removal/remove-persons.ts';
import { registers } from '../registers/index.ts';
import type { RemovalThread } from './parties.ts';

/** The thread that removes what PARTIES leaves out. SQLite blocks it for minutes while it rewrites a large file. */
void serveThread<RemovalThread>({
  async remove(place: StorePlace, modes: PartyModes) {
    const db = openExistingStore('registry', { ...place, poolSize: 1 });
    try {
      return await removeExcess(db, registers, modes);
    } finally {
      await db.close();
    }
  },
});
