import { crc32 } from 'node:zlib';

/**
 * Slows down clients that try invalid API keys. Each address may fail a few times per minute at full speed; after that, every further failure is
 * answered later. A valid key is never delayed, so a client that shares its address with an attacker is not locked out.
 */
const FREE_FAILURES_PER_MINUTE = 20;
const REFILL_MS = 60_000 / FREE_FAILURES_PER_MINUTE;
const STEP_MS = 50;
/** Bounds the connections that delayed responses keep open. Above this number, failures are answered at full speed. */
const MAX_DELAYED = 1_000;

/**
 * A leaky bucket per address: the time at which its failures will have drained. The memory is shared by all serving threads of
 * the process; otherwise each thread would allow its own quota of failures. Addresses are hashed into a fixed number of slots,
 * so an attacker cannot grow the memory. Addresses that share a slot share a bucket.
 */
export type Guesses = Float64Array<SharedArrayBuffer>;

const SLOTS = 16_384;

export function createGuesses(): Guesses {
  return new Float64Array(new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT));
}

export interface GuessThrottleOptions {
  readonly maxDelayMs: number;
  readonly guesses?: Guesses;
  /** A clock in milliseconds that never goes back and that all threads share. */
  readonly elapsed?: () => number;
}

/** Counts a failure of the address. Returns how many milliseconds to wait before responding. */
export function createGuessThrottle({
  maxDelayMs,
  guesses = createGuesses(),
  elapsed = () => Number(process.hrtime.bigint()) / 1e6,
}: GuessThrottleOptions): (address: string) => number {
  let delayed: number[] = [];

  return (address) => {
    const now = elapsed();
    const slot = crc32(address) % SLOTS;
    // Two threads may count two simultaneous failures as one. Preventing this is not worth a lock.
    const drainedAt = Math.max(now, guesses[slot] ?? 0) + REFILL_MS;
    guesses[slot] = Math.min(drainedAt, now + 2 * FREE_FAILURES_PER_MINUTE * REFILL_MS);
    const failures = (drainedAt - now) / REFILL_MS;
    const delay = Math.max(0, Math.min(maxDelayMs, Math.ceil(failures - FREE_FAILURES_PER_MINUTE) * STEP_MS));
    if (delay === 0) return 0;
    delayed = delayed.length < MAX_DELAYED ? delayed : delayed.filter((sentAt) => sentAt > now);
    if (delayed.length >= MAX_DELAYED) return 0;
    delayed.push(now + delay);
    return delay;
  };
}
