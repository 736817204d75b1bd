/**
 * The only source of wall-clock time. It is passed as an argument, so that a test can set it to the last second of a month. Use
 * `performance.now()` to measure durations.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
