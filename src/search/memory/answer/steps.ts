import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Hits } from './hits.ts';
import type { Page } from './merge-page.ts';

/** Work that grows with the hits, such as sorting them by date. After every step, other requests get their turn. */
export type Steps<T> = Generator<undefined, T>;

/** Hits per step, which then takes some 50 µs. */
export const STEP = 8_192;

/** Does everything in this turn. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does the first step in this turn, and each other one in a later turn. Most work has one step. */
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

/** Calls `use` with the documents of the hits, some at a time. They are valid during the call only. */
export function* readInSteps(hits: Hits, use: (docs: Uint32Array) => void): Steps<void> {
  const docs = new Uint32Array(Math.min(STEP, hits.size));
  for (let from = 0; from < hits.size; ) {
    const count = hits.read(from, docs);
    use(docs.subarray(0, count));
    from += count;
    if (from < hits.size) yield;
  }
}

/** Calls `use` with the next hits until it returns true or there are no more. */
export function* walkInSteps(takeNext: (count: number) => Page, use: (page: Page) => boolean): Steps<void> {
  for (;;) {
    const page = takeNext(STEP);
    if (page.docs.length === 0 || use(page)) return;
    if (page.docs.length === STEP) yield;
  }
}
