import { existsSync } from 'node:fs';
import type { StorePlace } from '../../base/db/open.ts';
import { openThread, type Thread } from '../../base/system/thread.ts';
import { timeLimits } from '../../base/system/time-limits.ts';
import { createTurns } from '../../base/system/turns.ts';
import type { Proof } from './proof.ts';

interface Place {
  readonly location: StorePlace;
  /** The folders in which fetches and the demo keep files. */
  readonly folder: string;
  readonly samples: string;
}

/** How many proofs may wait: enough for an assistant that calls a tool for several companies at once. */
const MAX_WAITING = 4;

/** What `proof-worker.ts` does. */
export interface ProofThread {
  prove(id: string, place: Place): Promise<Proof | undefined>;
}

export type Proofs = ReturnType<typeof createProofs>;

/**
 * Proofs on a server. An original can have gigabytes, so the file is read in a thread of its own, for one record at a time, and accounts take
 * turns. A proof that takes too long is stopped: the command `firmament prove` can take longer.
 */
export function createProofs({ location, folder, samples }: Place) {
  const { proofTurnMs, proofMs } = location.timeLimits ?? timeLimits;
  const turns = createTurns({ perAccount: 1, inTotal: 1, maxWaiting: MAX_WAITING }, 'proofs');
  let running: Thread<ProofThread> | undefined;

  async function run(id: string): Promise<Proof | 'too slow' | undefined> {
    await using thread = openThread<ProofThread>(new URL('proof-worker.ts', import.meta.url), { name: 'proof' });
    running = thread;
    let timer: NodeJS.Timeout | undefined;
    const tooSlow = new Promise<'too slow'>((resolve) => {
      timer = setTimeout(() => resolve('too slow'), proofMs);
    });
    const proof = thread.call('prove', id, { location, folder, samples });
    return await Promise.race([proof, tooSlow]).finally(() => {
      clearTimeout(timer);
      running = undefined;
    });
  }

  return {
    /** How long `prove` takes at most. */
    maxCallMs: proofTurnMs + proofMs,
    /** Undefined if there is no such record. `busy` if the turn of the account has not come in time. */
    async prove(id: string, accountId: string): Promise<Proof | 'not kept' | 'busy' | 'too slow' | undefined> {
      if (!existsSync(folder) && !existsSync(samples)) return 'not kept';
      let hasTurn = false;
      const proof = turns.run(accountId, performance.now() + proofTurnMs, () => {
        hasTurn = true;
        return run(id);
      });
      return proof.catch((error: unknown) => (hasTurn ? Promise.reject(error) : 'busy'));
    },
    /** Stops the proof that is running, and ends waiting proofs with `busy`. */
    async close(): Promise<void> {
      turns.close();
      await running?.close(new Error('the thread that proves a record stopped'));
    },
  };
}
