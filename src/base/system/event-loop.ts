/**
 * Breaks in long computations, so that other requests are answered meanwhile. All computations of a thread share a time limit per turn of its event
 * loop. When the time is used up, unfinished computations wait, and each of the next turns continues one of them.
 */
const TURN_MS = 2;
let turnStarted: number | undefined;
const waiting: (() => void)[] = [];

/** Resolves when the caller may continue. Returns undefined if the caller may continue now. A call costs a look at the clock. */
export function takeBreakIfDue(): Promise<void> | undefined {
  if (timeInTurn() <= TURN_MS) return undefined;
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

/** Runs all steps, with breaks between them. A step should take less than a millisecond. */
export async function runWithBreaks<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = takeBreakIfDue();
    if (pause !== undefined) await pause;
  }
}

function timeInTurn(): number {
  const now = performance.now();
  if (turnStarted === undefined) {
    turnStarted = now;
    setImmediate(endTurn);
  }
  return now - turnStarted;
}

function endTurn(): void {
  turnStarted = undefined;
  const next = waiting.shift();
  if (next === undefined) return;
  timeInTurn();
  next();
}
