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
  return new SourceProblem(`${message} and asks to wait for ${formatMinutes(pauseMs)}`, { advice: 'later' });
}

function formatMinutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} minutes`;
}

/** Aborts `work` after `ms` and fails with what has not happened until then, such as "example.org did not send the file". */
export async function limitTime<T>(
  { ms, failure }: { readonly ms: number; readonly failure: string },
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ms);
  try {
    return await work(AbortSignal.any([controller.signal, outer]));
  } catch (error) {
    if (!controller.signal.aborted || outer.aborted) throw error;
    throw new SourceProblem(`${failure} within ${formatMinutes(ms)}`, { advice: 'continue', cause: error });
  } finally {
    clearTimeout(timer);
  }
}
