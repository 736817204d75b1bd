import { setTimeout as sleep } from 'node:timers/promises';
import { SourceProblem } from './problem.ts';

/** How patient a fetch is. Tests shorten the times. */
export interface FetchLimits {
  /** The time until a publisher answers. Some create the file only when it is requested. */
  readonly responseMs: number;
  /** A response that brings less than `minBytesPerSecond` for this long is ended, and the download is resumed. */
  readonly idleMs: number;
  /** A slower transfer counts as stalled: a server that sends a byte now and then must not hold a fetch forever. */
  readonly minBytesPerSecond: number;
  /** Attempts in a row that make no progress. */
  readonly attempts: number;
  /** The pause before the second attempt. Each later pause is twice as long, up to a minute. */
  readonly pauseMs: number;
  /** A publisher may ask for a longer pause (`Retry-After`). If it is longer than this, the fetch ends instead. */
  readonly maxPauseMs: number;
  /**
   * The time for a file with all attempts and pauses, and for all files of a register. Registers are fetched one after another, so
   * a slow publisher keeps all others waiting. What has arrived is kept, and the next fetch continues.
   */
  readonly fileMs: number;
  readonly registerMs: number;
}

export const DEFAULT_LIMITS: FetchLimits = {
  responseMs: 5 * 60_000,
  idleMs: 60_000,
  minBytesPerSecond: 1_024,
  attempts: 5,
  pauseMs: 1_000,
  maxPauseMs: 10 * 60_000,
  // The largest file has a few gigabytes: half a megabyte per second is enough for it.
  fileMs: 2 * 60 * 60_000,
  registerMs: 4 * 60 * 60_000,
};

const MAX_BACKOFF_MS = 60_000;

/** Runs `attempt` until it succeeds, fails for good, or fails too often without having called `madeProgress`. */
export async function tryRepeatedly<T>(
  { limits, signal }: { readonly limits: FetchLimits; readonly signal: AbortSignal },
  attempt: (madeProgress: () => void) => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await attempt(() => {
        failures = 0;
      });
    } catch (error) {
      // Streams and timers wrap the reason.
      signal.throwIfAborted();
      if (!(error instanceof SourceProblem) || !error.retry) throw error;
      failures++;
      const pauseMs = error.waitMs ?? Math.min(limits.pauseMs * 2 ** (failures - 1), MAX_BACKOFF_MS);
      if (failures >= limits.attempts) throw error;
      if (pauseMs > limits.maxPauseMs) {
        const asks = `${error.message} and asks to wait for ${formatMinutes(pauseMs)}`;
        throw new SourceProblem(asks, 'later');
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** A signal that aborts after `ms`, with what has not happened until then: "example.org did not send the file". */
export function limitTime(ms: number, outer: AbortSignal, failure: string): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new SourceProblem(`${failure} within ${formatMinutes(ms)}`, 'continue'));
  }, ms);
  return { signal: AbortSignal.any([controller.signal, outer]), [Symbol.dispose]: () => clearTimeout(timer) };
}

function formatMinutes(ms: number): string {
  return `${Math.ceil(ms / 60_000)} minutes`;
}
