/** Breaks in long computations: other requests get a turn when the work has gone on for longer than `afterMs`. */
export function createBreaks(afterMs = 2) {
  let started = performance.now();
  return {
    /** Resolves after the event loop had its turn, or at once if it need not have one yet. */
    async takeIfDue(): Promise<void> {
      if (performance.now() - started <= afterMs) return;
      await new Promise((resolve) => setImmediate(resolve));
      started = performance.now();
    },
  };
}

export type Breaks = ReturnType<typeof createBreaks>;
