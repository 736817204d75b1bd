import { findBroadWords } from './broad.ts';
import type { Chunk } from './chunk.ts';
import { type Order, sortEqualNames } from './order.ts';
import { sortSuffixes } from './suffixes.ts';
import { addTextRows, createTextRows, layOutTexts } from './texts.ts';

/**
 * The work of a build that a second thread can do: it keeps the texts of the rows, while the first thread numbers words and values; then
 * it sorts suffixes, lays out the texts and finds broad fragments inside words, while the first thread indexes words and values. The
 * functions are called in this order, and each may be called before the previous functions have returned their results.
 */
export function createTextWork() {
  const rows = createTextRows();
  let sorted: Uint32Array = new Uint32Array(0);
  const functions = {
    sortSuffixes,
    /** Sorts documents with equal folded names by name and id, in place. */
    sortEqualNames(order: Order): void {
      sortEqualNames(order, rows);
      sorted = order.rows;
    },
    /** Lays out the texts in the order that `sortEqualNames` has completed. */
    layOutTexts: (threshold: number) => layOutTexts(rows, sorted, threshold),
    findBroadWords,
  };
  return { add: (chunk: Chunk) => addTextRows(rows, chunk), functions };
}
type TextFunctions = ReturnType<typeof createTextWork>['functions'];

/** Calls one of these functions, in this thread or in another. */
export type Assist = <N extends keyof TextFunctions>(
  name: N,
  ...args: Parameters<TextFunctions[N]>
) => Promise<ReturnType<TextFunctions[N]>>;

/** The functions of `assistant-worker.ts`. */
export interface AssistantThread extends TextFunctions {
  findVersion(): Promise<string>;
  /** Reads all rows. */
  read(): AsyncGenerator<{ readonly buffer: ArrayBuffer; readonly length: number }>;
}
