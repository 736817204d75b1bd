import { type Failure, fail } from '../errors.ts';
import { beginWait, type Deadline, endWait } from './deadline.ts';

export interface TurnLimits {
  /** How much work of one account, and of all accounts together, runs at the same time. */
  readonly perAccount: number;
  readonly inTotal: number;
  readonly maxWaiting?: number;
}

/** The state of an account that has work, or that had a place in the line before. */
interface Place {
  running: number;
  readonly waiting: Set<(failure?: Failure) => void>;
}

/** The maximum number of accounts that keep a place in the line without work. */
const MAX_PLACES = 1_000;

/**
 * Divides a scarce resource, such as connections to a database, among accounts. Work beyond the limits waits, at most until its deadline. An account
 * whose work has ended goes to the end of the line, even if more of its work waits. An account keeps its place when a call gives up waiting, so new
 * accounts cannot push back a client that calls again. `noun` names the work in the error.
 */
export function createTurns({ perAccount, inTotal, maxWaiting = Number.POSITIVE_INFINITY }: TurnLimits, noun: string) {
  const line = new Map<string, Place>();
  let total = 0;
  let isClosed = false;

  function findPlace(account: string): Place {
    if (line.size >= MAX_PLACES) {
      for (const [each, { running, waiting }] of line) if (running + waiting.size === 0) line.delete(each);
    }
    return line.getOrInsertComputed(account, () => ({ running: 0, waiting: new Set() }));
  }

  function begin(place: Place): void {
    total++;
    place.running++;
  }

  function end(account: string, place: Place): void {
    total--;
    place.running--;
    line.delete(account);
    line.set(account, place);
    for (const { running, waiting } of line.values()) {
      if (total >= inTotal) return;
      const [start] = waiting;
      if (running < perAccount) start?.();
    }
    if (total === 0) line.clear();
  }

  function waitForTurn(place: Place, deadline: Deadline): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = beginWait(deadline, () => stopWaiting(tooMany(noun)));
      function stopWaiting(failure?: Failure): void {
        place.waiting.delete(stopWaiting);
        endWait(timer);
        if (failure === undefined) {
          begin(place);
          resolve();
        } else reject(failure);
      }
      place.waiting.add(stopWaiting);
    });
  }

  return {
    /** Runs the work when it is the account's turn. Throws `service_unavailable` if that takes too long, or if too much work of the account waits. */
    async run<T>(account: string, deadline: Deadline, work: () => Promise<T>): Promise<T> {
      const place = findPlace(account);
      if (isClosed || place.waiting.size >= maxWaiting) throw tooMany(noun);
      if (total < inTotal && place.running < perAccount) begin(place);
      else await waitForTurn(place, deadline);
      try {
        return await work();
      } finally {
        end(account, place);
      }
    },
    close(): void {
      isClosed = true;
      for (const { waiting } of line.values()) for (const stopWaiting of waiting) stopWaiting(tooMany(noun));
    },
  };
}

/** Limits for searches with a number of connections: a quarter per account, and 70 % for all. The remaining connections are for lookups. */
export function chooseTurnLimits(connections: number): TurnLimits {
  return { perAccount: Math.max(1, Math.floor(connections / 4)), inTotal: Math.max(1, Math.floor(connections * 0.7)) };
}

function tooMany(noun: string): Failure {
  return fail('service_unavailable', {
    message: `Too many ${noun} are running at the same time: wait for the answer to one before you send the next.`,
    retryAfter: 1,
  });
}

/** Returns a function that runs work when all earlier work has ended or failed. */
export function createWorkQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
