import { parentPort, workerData } from 'node:worker_threads';
import { openExistingStore } from '../db/open.ts';
import { registers } from '../registers/index.ts';
import { lowerThreadPriority } from '../system/priority.ts';
import type { ProofMessage, ProofTask } from './proofs.ts';
import { proveRecord } from './prove.ts';

/** The thread that proves one record for a server: see `proofs.ts`. It is terminated from outside. */
const { location, folder, id } = workerData as ProofTask;
lowerThreadPriority();
const db = openExistingStore('registry', { ...location, poolSize: 1 });
try {
  const signal = new AbortController().signal;
  const proof = await proveRecord(id, { db, registers, folder, given: [], onProgress: () => undefined, signal });
  parentPort?.postMessage({ proof } satisfies ProofMessage);
} finally {
  await db.close();
}
