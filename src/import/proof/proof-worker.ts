import { openExistingStore } from '../../base/db/open.ts';
import { lowerThreadPriority } from '../../base/system/priority.ts';
import { serveThread } from '../../base/system/thread.ts';
import { registers } from '../../registers/index.ts';
import { proveRecord } from './proof.ts';
import type { ProofThread } from './proofs.ts';

/** The thread that proves one record for a server: see `proofs.ts`. The owner of the thread closes it. */
lowerThreadPriority();
void serveThread<ProofThread>({
  async prove(id, { location, folder, samples }) {
    const db = openExistingStore('registry', { ...location, poolSize: 1 });
    try {
      const signal = new AbortController().signal;
      return await proveRecord(id, { db, registers, folder, samples, given: [], onProgress: () => undefined, signal });
    } finally {
      await db.close();
    }
  },
});
