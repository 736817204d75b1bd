import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Location } from '../db/open.ts';
import type { Proof } from './proof.ts';

/**
 * Proofs on a server. An original can have gigabytes, so it is read in a thread of its own, one record at a time and not for
 * long: then `firmament prove` has to do it.
 */
export interface Proofs {
  /** Undefined if there is no such record. */
  prove(id: string): Promise<Proof | 'not kept' | 'busy' | 'too slow' | undefined>;
  /** Stops the proof that is running. */
  close(): Promise<void>;
}

export interface ProofsOptions {
  readonly location: ProofTask['location'];
  /** The folder in which fetches keep files. */
  readonly folder: string;
  /** Replaces the time that a proof may take. */
  readonly maxMs?: number;
}

/** A server that stops waits 25 seconds for requests. */
export const MAX_PROOF_MS = 15_000;

export interface ProofTask {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly folder: string;
  readonly id: string;
}

export interface ProofMessage {
  readonly proof: Proof | undefined;
}

export function createProofs({ location, folder, maxMs = MAX_PROOF_MS }: ProofsOptions): Proofs {
  let running: Worker | undefined;

  function read(thread: Worker): Promise<Proof | 'too slow' | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve('too slow'), maxMs);
      thread.on('message', ({ proof }: ProofMessage) => resolve(proof));
      thread.on('error', reject);
      thread.on('exit', () => {
        clearTimeout(timer);
        reject(new Error('the thread that proves a record stopped'));
      });
    });
  }

  return {
    async prove(id) {
      if (!existsSync(folder)) return 'not kept';
      if (running !== undefined) return 'busy';
      const workerData: ProofTask = { location, folder, id };
      const thread = new Worker(new URL('proof-worker.ts', import.meta.url), { workerData, name: 'proof' });
      running = thread;
      try {
        return await read(thread);
      } finally {
        await thread.terminate();
        running = undefined;
      }
    },
    async close() {
      await running?.terminate();
    },
  };
}
