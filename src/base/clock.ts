/** The only source of wall-clock time, so that a test can set it. `performance.now()` measures durations. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
