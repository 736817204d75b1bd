/**
 * Slows down who tries keys that are none. Each address may fail a few times a minute at full speed; past that, the answer to a
 * failure waits the longer the more there were. A good key is never held up, so an address that is shared with somebody
 * who guesses is not locked out.
 */
const FREE_FAILURES = 20;
const REFILL_MS = 60_000 / FREE_FAILURES;
const STEP_MS = 50;
/** Addresses remembered: past that the oldest is forgotten, which costs us less than being made to remember. */
const MOST_ADDRESSES = 10_000;
/** Answers held back at once: an army of guessers must not make us hold its connections. */
const MOST_HELD_BACK = 1_000;

/** Counts a failure of the address; returns how many milliseconds to wait before it is answered. */
export function createGuessBrake(slowestMs: number, elapsed = () => performance.now()): (address: string) => number {
  /** When the failures of an address will all be paid off; the debt is what is left until then. */
  const paidOff = new Map<string, number>();
  /** When held back answers will be sent. */
  let held: number[] = [];

  return (address) => {
    const now = elapsed();
    const until = Math.max(now, paidOff.get(address) ?? 0) + REFILL_MS;
    paidOff.delete(address);
    paidOff.set(address, Math.min(until, now + 2 * FREE_FAILURES * REFILL_MS));
    if (paidOff.size > MOST_ADDRESSES) {
      for (const oldest of paidOff.keys()) {
        paidOff.delete(oldest);
        break;
      }
    }
    const failures = (until - now) / REFILL_MS;
    const delay = Math.max(0, Math.min(slowestMs, Math.ceil(failures - FREE_FAILURES) * STEP_MS));
    if (delay === 0) return 0;
    held = held.length < MOST_HELD_BACK ? held : held.filter((sentAt) => sentAt > now);
    if (held.length >= MOST_HELD_BACK) return 0;
    held.push(now + delay);
    return delay;
  };
}
