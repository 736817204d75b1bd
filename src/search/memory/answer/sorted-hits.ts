import { type ResultLines, ROWS_PER_READ } from '../../search.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Narrow } from '../shared-arrays.ts';
import { countNumbers } from './counts/count-values.ts';
import type { Hits } from './hits.ts';
import { type Page, walkHits } from './merge-page.ts';
import { readInSteps, runInTurns, STEP, type Steps, walkInSteps } from './steps.ts';
import { numbersOf, type SortField, type ValueOrder } from './value-order.ts';
import { firstNotBelow } from './words.ts';

/**
 * Hits in the order of a date, the latest first, and of names within a date. Nothing is sorted: counting the hits of each date tells
 * which dates a page has, and a walk through the hits in the order of names picks the documents of these dates. See
 * docs/decisions/0036-sorting.md.
 */
export interface SortedHits {
  readonly size: number;
  readonly bytes: number;
  take(from: number, count: number): Steps<Page>;
}

/** The hits of each index, which must be kept ones, because other queries run between two steps. */
export function* sortHits(
  state: IndexState,
  indexes: readonly SearchIndex[],
  hits: readonly Hits[],
  field: SortField,
  order: ValueOrder,
): Steps<SortedHits> {
  const columns = indexes.map((index) => numbersOf(index, field));
  /** Where the hits of each rank start in the result; at last its end. */
  const starts = new Uint32Array(order.count + 1);
  for (const [part, of] of hits.entries()) {
    const numbers = columns[part] as Narrow;
    const ranks = order.ranks[part] as Uint32Array;
    const counts = new Uint32Array(ranks.length);
    yield* readInSteps(of, (docs) => countNumbers(docs, numbers, counts));
    for (const [number, count] of counts.entries()) addTo(starts, (ranks[number] as number) + 1, count);
  }
  for (let rank = 1; rank <= order.count; rank++)
    starts[rank] = (starts[rank] as number) + (starts[rank - 1] as number);
  const total = starts[order.count] as number;

  return {
    size: total,
    bytes: starts.byteLength,
    *take(from, count) {
      const to = Math.min(total, from + count);
      const size = Math.max(0, to - from);
      const page = { docs: new Uint32Array(size), parts: new Uint8Array(size) };
      if (size === 0) return page;
      const rankAt = (position: number) =>
        firstNotBelow(order.count, (rank) => (starts[rank + 1] as number) <= position);
      const [first, last] = [rankAt(from), rankAt(to - 1)];
      const next = starts.slice(first, last + 1);
      const found = new Uint32Array(STEP);
      let left = size;
      yield* walkInSteps(walkHits(state, hits), ({ docs, parts }) => {
        for (let at = 0; at < docs.length; ) {
          const part = parts[at] as number;
          const end = findRunEnd(parts, at);
          const ranks = order.ranks[part] as Uint32Array;
          const numbers = columns[part] as Narrow;
          const count = pickRanks(docs, at, end, numbers, ranks, first, last, found);
          for (let pick = 0; pick < count && left > 0; pick++) {
            const doc = found[pick] as number;
            const rank = (ranks[numbers[doc] as number] as number) - first;
            const position = next[rank] as number;
            next[rank] = position + 1;
            if (position < from || position >= to) continue;
            page.docs[position - from] = doc;
            page.parts[position - from] = part;
            left--;
          }
          at = end;
        }
        return left === 0;
      });
      return page;
    },
  };
}

function addTo(numbers: Uint32Array, at: number, count: number): void {
  numbers[at] = (numbers[at] as number) + count;
}

/** Where the documents of the same index end. Most of a page comes from the base. */
function findRunEnd(parts: Uint8Array, from: number): number {
  const part = parts[from];
  let end = from + 1;
  while (end < parts.length && parts[end] === part) end++;
  return end;
}

/** Writes the documents of some ranks to `into`. A tight loop, because it rejects most documents. */
function pickRanks(
  docs: Uint32Array,
  from: number,
  to: number,
  numbers: Narrow,
  ranks: Uint32Array,
  first: number,
  last: number,
  into: Uint32Array,
): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const doc = docs[at] as number;
    const rank = ranks[numbers[doc] as number] as number;
    if (rank >= first && rank <= last) into[count++] = doc;
  }
  return count;
}

/** A whole result is picked in at most so many walks through its hits. The rows of one walk take 5 bytes each until they are written. */
const MAX_WALKS = 50;

/** Reads the first `limit` hits in their order, some at a time. */
export async function* readSorted(
  sorted: SortedHits,
  limit: number,
  write: (page: Page) => ResultLines,
): AsyncGenerator<ResultLines> {
  const window = Math.max(STEP, Math.ceil(sorted.size / MAX_WALKS));
  const end = Math.min(limit, sorted.size);
  for (let from = 0; from < end; from += window) {
    const { docs, parts } = await runInTurns(sorted.take(from, Math.min(window, end - from)));
    for (let at = 0; at < docs.length; at += ROWS_PER_READ) {
      yield write({ docs: docs.subarray(at, at + ROWS_PER_READ), parts: parts.subarray(at, at + ROWS_PER_READ) });
    }
  }
}
