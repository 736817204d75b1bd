import { crc32 } from 'node:zlib';

/**
 * Slows down who tries keys that are none. Each address may fail a few times a minute at full speed; past that, the answer to a
 * failure waits the longer the more there were. A good key is never held up, so an address that is shared with somebody
 * who guesses is not locked out.
 */
const FREE_FAILURES = 20;
const REFILL_MS = 60_000 / FREE_FAILURES;
const STEP_MS = 50;
/** Answers held back at once: an army of guessers must not make us hold its connections. */
const MOST_HELD_BACK = 1_000;

/**
 * When the failures of an address will all be paid off; the debt is what is left until then. On memory that all serving threads
 * of the process share, or each would have its own patience. An address has its place by a hash: the few that share one
 * share their debt, and nobody can make us remember more.
 */
export type Guesses = Float64Array<SharedArrayBuffer>;

const PLACES = 16_384;

export function createGuesses(): Guesses {
  return new Float64Array(new SharedArrayBuffer(PLACES * Float64Array.BYTES_PER_ELEMENT));
}

export interface GuessThrottleOptions {
  readonly slowestMs: number;
  readonly guesses?: Guesses;
  /** Milliseconds that only go forward, the same in all threads. */
  readonly elapsed?: () => number;
}

/** Counts a failure of the address; returns how many milliseconds to wait before it is answered. */
export function createGuessThrottle({
  slowestMs,
  guesses = createGuesses(),
  elapsed = () => Number(process.hrtime.bigint()) / 1e6,
}: GuessThrottleOptions): (address: string) => number {
  /** When held back answers will be sent. */
  let held: number[] = [];

  return (address) => {
    const now = elapsed();
    const place = crc32(address) % PLACES;
    // Two threads at the same moment may count one failure for two, which is not worth a lock.
    const until = Math.max(now, guesses[place] ?? 0) + REFILL_MS;
    guesses[place] = Math.min(until, now + 2 * FREE_FAILURES * REFILL_MS);
    const failures = (until - now) / REFILL_MS;
    const delay = Math.max(0, Math.min(slowestMs, Math.ceil(failures - FREE_FAILURES) * STEP_MS));
    if (delay === 0) return 0;
    held = held.length < MOST_HELD_BACK ? held : held.filter((sentAt) => sentAt > now);
    if (held.length >= MOST_HELD_BACK) return 0;
    held.push(now + delay);
    return delay;
  };
}
