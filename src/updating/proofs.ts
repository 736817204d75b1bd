import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { patiently } from '../core/patience.ts';
import type { Location } from '../db/open.ts';
import { createTurns } from '../system/turns.ts';
import type { Proof } from './proof.ts';

/**
 * Proofs on a server. An original can have gigabytes, so it is read in a thread of its own, one record at a time and not for
 * long: then `firmament prove` has to do it. Accounts take turns.
 */
export interface Proofs {
  /** Undefined if there is no such record. `busy` if it is not yet the turn of the account. */
  prove(id: string, accountId: string): Promise<Proof | 'not kept' | 'busy' | 'too slow' | undefined>;
  /** Stops the proof that is running, and ends the others with `busy`. */
  close(): Promise<void>;
}

export interface ProofsOptions {
  readonly location: ProofTask['location'];
  /** The folder in which fetches keep files. */
  readonly folder: string;
  /** Replaces the time that a proof may take. */
  readonly maxMs?: number;
}

const MAX_PROOF_MS = 15_000;
const MAX_WAIT_MS = 8_000;
/** How long `prove` takes at most. A server that stops waits 25 seconds for requests. */
export const MAX_CALL_MS = MAX_WAIT_MS + MAX_PROOF_MS;
/** Enough for an assistant that calls a tool for several companies at once. */
const MAX_WAITING = 4;

export interface ProofTask {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly folder: string;
  readonly id: string;
}

export interface ProofMessage {
  readonly proof: Proof | undefined;
}

export function createProofs({ location, folder, maxMs = MAX_PROOF_MS }: ProofsOptions): Proofs {
  const turns = createTurns({ maxWaitMs: patiently(MAX_WAIT_MS), maxWaiting: MAX_WAITING });
  let running: Worker | undefined;

  async function run(id: string): Promise<Proof | 'too slow' | undefined> {
    const workerData: ProofTask = { location, folder, id };
    const thread = new Worker(new URL('proof-worker.ts', import.meta.url), { workerData, name: 'proof' });
    running = thread;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => resolve('too slow'), maxMs);
        thread.on('message', ({ proof }: ProofMessage) => resolve(proof));
        thread.on('error', reject);
        thread.on('exit', () => reject(new Error('the thread that proves a record stopped')));
      });
    } finally {
      clearTimeout(timer);
      await thread.terminate();
      running = undefined;
    }
  }

  return {
    async prove(id, accountId) {
      return existsSync(folder) ? turns.take(accountId, () => run(id)) : 'not kept';
    },
    async close() {
      turns.close();
      await running?.terminate();
    },
  };
}
