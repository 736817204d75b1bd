import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchLimits } from './limits.ts';
import { SourceProblem } from './problem.ts';

const MAX_BACKOFF_MS = 60_000;

/**
 * Runs `attempt` until it succeeds, fails for good, or fails too often in a row. `attempt` calls `madeProgress` when it
 * got something that the next attempt can build on.
 */
export async function tryRepeatedly<T>(
  attempt: (madeProgress: () => void) => Promise<T>,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await attempt(() => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceProblem) || !error.retry) throw error;
      failures++;
      const pauseMs = error.waitMs ?? Math.min(limits.pauseMs * 2 ** (failures - 1), MAX_BACKOFF_MS);
      if (failures >= limits.attempts) throw error;
      if (pauseMs > limits.maxPauseMs) throw refuseToWait(error, pauseMs);
      await sleep(pauseMs, undefined, { signal });
    }
  }
}

function refuseToWait({ message }: SourceProblem, pauseMs: number): SourceProblem {
  const minutes = Math.ceil(pauseMs / 60_000);
  return new SourceProblem(`${message} and asks to wait for ${minutes} minutes`, { advice: 'later' });
}
