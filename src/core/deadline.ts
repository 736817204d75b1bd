import { type Failure, fail } from './errors.ts';

/**
 * One deadline per request: a point in time, as `performance.now()` counts it, that is passed from step to step. Each step waits only
 * for what is left. One timer checks all waiting steps of the thread, because a timer per request would cost more than the check.
 */
export type Deadline = number;

/**
 * Every request that reads data is answered within two seconds, whatever the databases do. The rest of the two seconds is for
 * delays in a busy event loop.
 */
const ANSWER_MS = 1_500;
/** How late a deadline may be noticed. */
const CHECK_MS = 50;

export function startDeadline(): Deadline {
  return performance.now() + ANSWER_MS;
}

export function millisecondsLeft(deadline: Deadline): number {
  return Math.max(0, deadline - performance.now());
}

export interface Waiting {
  readonly deadline: Deadline;
  expire(): void;
}

const waiting = new Set<Waiting>();
let isCheckDue = false;

/** Calls `expire` when the deadline has passed, unless `endWait` is called before. */
export function beginWait(deadline: Deadline, expire: () => void): Waiting {
  const entry = { deadline, expire };
  waiting.add(entry);
  scheduleCheck();
  return entry;
}

export function endWait(entry: Waiting): void {
  waiting.delete(entry);
}

function scheduleCheck(): void {
  if (isCheckDue) return;
  isCheckDue = true;
  setTimeout(checkAll, CHECK_MS);
}

function checkAll(): void {
  isCheckDue = false;
  const now = performance.now();
  for (const entry of waiting) {
    if (entry.deadline > now) continue;
    waiting.delete(entry);
    entry.expire();
  }
  if (waiting.size > 0) scheduleCheck();
}

/** Waits for the work until the deadline, then throws `service_unavailable`. The work is not stopped; its result is dropped. */
export function within<T>(deadline: Deadline, work: Promise<T>, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const entry = beginWait(deadline, () => reject(timedOut(what)));
    work.then(
      (value) => {
        endWait(entry);
        resolve(value);
      },
      (error: unknown) => {
        endWait(entry);
        reject(error);
      },
    );
  });
}

export function timedOut(what: string): Failure {
  return fail('service_unavailable', { cause: new Error(`${what} timed out`), retryAfter: 1 });
}
