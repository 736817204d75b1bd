import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hits } from './hits.ts';

/** Work that grows with the number of hits, such as sorting hits by date. After every step, other requests get their turn. */
export type Steps<T> = Generator<undefined, T>;

/** The number of hits per step. A step then takes some 50 µs. */
export const STEP = 8_192;

/** Does all steps in this turn of the event loop. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does the first step in this turn of the event loop, and every other step in a later turn. Most work has one step. */
export function runInTurns<T>(steps: Steps<T>): T | Promise<T> {
  const { done, value } = steps.next();
  return done === true ? value : runOthers(steps);
}

async function runOthers<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await nextTurn();
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Calls `use` with the documents of the hits, some at a time. The passed array is valid only during the call. */
export function* readInSteps(hits: Hits, use: (docs: Uint32Array) => void): Steps<void> {
  const docs = new Uint32Array(Math.min(STEP, hits.size));
  for (let from = 0; from < hits.size; ) {
    const count = hits.read(from, docs);
    use(docs.subarray(0, count));
    from += count;
    if (from < hits.size) yield;
  }
}
