/**
 * The only source of wall-clock time. Passing the clock in lets a test stand at the last second of a month;
 * measuring durations is not its business (`performance.now()` does that).
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
