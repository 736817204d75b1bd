import { existsSync } from 'node:fs';
import { patiently } from '../core/patience.ts';
import type { Location } from '../db/open.ts';
import { openThread, type Thread } from '../system/thread.ts';
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

interface Place {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  /** The folders in which fetches and the demo keep files. */
  readonly folder: string;
  readonly samples: string;
}

export interface ProofsOptions extends Place {
  /** Replaces the time that a proof may take. */
  readonly maxMs?: number;
}

const MAX_PROOF_MS = 15_000;
const MAX_WAIT_MS = 8_000;
/** How long `prove` takes at most. A server that stops waits 25 seconds for requests. */
export const MAX_CALL_MS = MAX_WAIT_MS + MAX_PROOF_MS;
/** Enough for an assistant that calls a tool for several companies at once. */
const MAX_WAITING = 4;

/** What `proof-worker.ts` does. */
export interface ProofThread {
  prove(id: string, place: Place): Promise<Proof | undefined>;
}

export function createProofs({ location, folder, samples, maxMs = MAX_PROOF_MS }: ProofsOptions): Proofs {
  const turns = createTurns({ maxWaitMs: patiently(MAX_WAIT_MS), maxWaiting: MAX_WAITING });
  let running: Thread<ProofThread> | undefined;

  async function run(id: string): Promise<Proof | 'too slow' | undefined> {
    await using thread = openThread<ProofThread>(new URL('proof-worker.ts', import.meta.url), { name: 'proof' });
    running = thread;
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<'too slow'>((resolve) => {
      timer = setTimeout(() => resolve('too slow'), maxMs);
    });
    const proof = thread.call('prove', id, { location, folder, samples });
    return await Promise.race([proof, tooSlow]).finally(() => {
      clearTimeout(timer);
      running = undefined;
    });
  }

  return {
    async prove(id, accountId) {
      return existsSync(folder) || existsSync(samples) ? turns.take(accountId, () => run(id)) : 'not kept';
    },
    async close() {
      turns.close();
      await running?.close(new Error('the thread that proves a record stopped'));
    },
  };
}
