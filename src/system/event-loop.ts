/**
 * Breaks in long computations, so that other requests are answered meanwhile: the event loop gets a turn when the work has gone on for
 * longer than `afterMs`. Asking costs a look at the clock.
 */
export interface Breaks {
  readonly isDue: () => boolean;
  /** Resolves after the event loop had its turn. */
  readonly take: () => Promise<void>;
}

export function createBreaks(afterMs = 2): Breaks {
  let started = performance.now();
  return {
    isDue: () => performance.now() - started > afterMs,
    async take() {
      await new Promise((resolve) => setImmediate(resolve));
      started = performance.now();
    },
  };
}
