import { type Failure, fail } from '../errors.ts';
import { timeLimits } from './time-limits.ts';

/**
 * One deadline per request: a point in time, as `performance.now()` counts it, that is passed from step to step. Each step waits only for the time
 * that is left. One timer checks all waiting steps of the thread, because a timer per request would cost more than the check.
 */
export type Deadline = number;

let answerMs: number = timeLimits.answerMs;
const CHECK_MS = 50;

/** How long the requests of this thread may take. Called once, with the limit of the configuration. */
export function setAnswerTime(ms: number): void {
  answerMs = ms;
}

export function startDeadline(now = performance.now()): Deadline {
  return now + answerMs;
}

export function millisecondsLeft(deadline: Deadline): number {
  return Math.max(0, deadline - performance.now());
}

export interface Waiting {
  readonly deadline: Deadline;
  expire(): void;
  previous: Waiting;
  next: Waiting;
}

/**
 * All waiting steps form a ring that starts and ends here. A `Set` would be shorter, but V8 replaces the table of a set that changes all the time,
 * and every old table refers to the next one. Once one table is in the old generation, all later tables are kept with their requests until the next
 * full collection: a fifth of the time of a search went into that.
 */
const ring = { deadline: Number.POSITIVE_INFINITY, expire: () => undefined } as unknown as Waiting;
ring.previous = ring;
ring.next = ring;
let isCheckDue = false;

/** Calls `expire` when the deadline has passed, unless `endWait` is called first. */
export function beginWait(deadline: Deadline, expire: () => void): Waiting {
  const { previous } = ring;
  const waiting = { deadline, expire, previous, next: ring };
  previous.next = waiting;
  ring.previous = waiting;
  scheduleCheck();
  return waiting;
}

/** Removes a step from the ring. May be called more than once. */
export function endWait(waiting: Waiting): void {
  const { previous, next } = waiting;
  previous.next = next;
  next.previous = previous;
  // The step drops its references to other steps, so that these can be collected while the step is still in use.
  waiting.previous = waiting;
  waiting.next = waiting;
}

function scheduleCheck(): void {
  if (isCheckDue) return;
  isCheckDue = true;
  setTimeout(checkAll, CHECK_MS);
}

function checkAll(): void {
  isCheckDue = false;
  const now = performance.now();
  const due: Waiting[] = [];
  for (let waiting = ring.next; waiting !== ring; waiting = waiting.next)
    if (waiting.deadline <= now) due.push(waiting);
  // Scheduled before the calls, so that a call that throws does not end the checks.
  if (ring.next !== ring) scheduleCheck();
  for (const waiting of due) {
    // An earlier step of this loop may have ended this step.
    if (waiting.next === waiting) continue;
    endWait(waiting);
    waiting.expire();
  }
}

/** Waits until the deadline, then throws the failure `what`, or `service_unavailable` with the text `what` in the log. The work goes on. */
export function within<T>(deadline: Deadline, work: Promise<T>, what: string | Failure): Promise<T> {
  return new Promise((resolve, reject) => {
    const entry = beginWait(deadline, () => reject(typeof what === 'string' ? timedOut(what) : what));
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
