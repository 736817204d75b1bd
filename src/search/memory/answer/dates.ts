import { type ResultLines, ROWS_PER_READ } from '../../search.ts';
import { COMBINATION, partOf } from '../encodings.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { Marks } from '../sets.ts';
import type { Narrow } from '../shared-arrays.ts';
import { countNumbers } from './count-values.ts';
import { type Hits, hitsOf } from './hits.ts';
import { createPage, type Page, walkHits } from './merge-page.ts';
import { readInSteps, STEP, type Steps } from './steps.ts';
import type { Terms } from './terms.ts';
import { firstNotBelow } from './words.ts';

/** The fields that results can be sorted by. */
export type SortField = 'registeredAt' | 'updatedAt';

/** The values of a field in all indexes, ranked: the latest date has rank 0, and null comes last. */
export interface ValueOrder {
  readonly count: number;
  /** By index, then by the number of a value in `numbersOf`: the rank of the value. */
  readonly ranks: readonly Uint32Array[];
}

/** Ranks the values of all indexes: documents refer to values by number, but each index numbers its values differently. */
export function orderValues(indexes: readonly SearchIndex[], field: SortField): ValueOrder {
  const orders = indexes.map((index) => datesOf(index, field));
  const sorted = distinct(Float64Array.from(orders.flatMap((own) => [...own.sorted])));
  const ranks = orders.map(({ dates }) =>
    Uint32Array.from(
      dates,
      (date) => sorted.length - 1 - firstNotBelow(sorted.length, (at) => (sorted[at] as number) < date),
    ),
  );
  return { count: sorted.length, ranks };
}

/** For each document, the number of its value, or of a combination that contains the value. */
function numbersOf({ arrays }: SearchIndex, field: SortField): Narrow {
  return field === 'registeredAt' ? arrays['summary.registeredAt'] : arrays.combination;
}

interface Dates {
  /** By number in `numbersOf`: the date as a number, or `NO_DATE`. */
  readonly dates: Float64Array;
  /** The distinct dates, ascending. */
  readonly sorted: Float64Array;
}

/** Reading tens of thousands of dates takes milliseconds, so the dates of an index are kept for all versions of the data. */
const known: Readonly<Record<SortField, WeakMap<SearchIndex, Dates>>> = {
  registeredAt: new WeakMap(),
  updatedAt: new WeakMap(),
};

function datesOf(index: SearchIndex, field: SortField): Dates {
  return known[field].getOrInsertComputed(index, () => {
    const read = field === 'registeredAt' ? readDay : Number;
    const values = Float64Array.from(index.texts.columns[field], (value) => (value === null ? NO_DATE : read(value)));
    const part = partOf(field);
    const { combinationParts: parts } = index.arrays;
    const ofCombinations = (_: unknown, of: number) => values[parts[of * COMBINATION + part] as number] as number;
    const dates = part < 0 ? values : Float64Array.from({ length: parts.length / COMBINATION }, ofCombinations);
    return { dates, sorted: distinct(values.slice()) };
  });
}

const NO_DATE = -1;

/** Turns `2024-01-31` into 20240131, because comparing numbers is much faster than comparing texts. */
function readDay(text: string): number {
  return Number(text.slice(0, 4)) * 10_000 + Number(text.slice(5, 7)) * 100 + Number(text.slice(8, 10));
}

/** Sorts the numbers in place and returns the distinct ones. */
function distinct(numbers: Float64Array): Float64Array {
  return numbers.sort().filter((number, at) => number !== numbers[at - 1]);
}

/**
 * Hits in the order of a date, the latest first, and of names within a date. Nothing is sorted: the number of hits of each date determines
 * the dates on a page, and a walk through the hits in the order of names picks the documents of these dates. See
 * docs/decisions/0008-search-index.md.
 */
export interface SortedHits {
  readonly size: number;
  take(from: number, count: number): Steps<Page>;
}

/** Prepares the hits of each index for sorted pages. Needs hits from `keep`, because other queries run between two steps. */
export function* sortHits(
  state: IndexState,
  indexes: readonly SearchIndex[],
  hits: readonly Hits[],
  field: SortField,
  order: ValueOrder,
): Steps<SortedHits> {
  const columns = indexes.map((index) => numbersOf(index, field));
  /** The position where the hits of each rank start in the result and, as the last entry, the end of the result. */
  const starts = new Uint32Array(order.count + 1);
  for (const [part, of] of hits.entries()) {
    const numbers = columns[part] as Narrow;
    const ranks = order.ranks[part] as Uint32Array;
    const counts = new Uint32Array(ranks.length);
    yield* readInSteps(of, (docs) => countNumbers(docs, numbers, counts));
    for (const [number, count] of counts.entries()) {
      const next = (ranks[number] as number) + 1;
      starts[next] = (starts[next] as number) + count;
    }
  }
  for (let rank = 1; rank <= order.count; rank++)
    starts[rank] = (starts[rank] as number) + (starts[rank - 1] as number);
  const total = starts[order.count] as number;

  return {
    size: total,
    *take(from, count) {
      const to = Math.min(total, from + count);
      const size = Math.max(0, to - from);
      const page = createPage(size);
      if (size === 0) return page;
      const rankAt = (position: number) =>
        firstNotBelow(order.count, (rank) => (starts[rank + 1] as number) <= position);
      const [first, last] = [rankAt(from), rankAt(to - 1)];
      const next = starts.slice(first, last + 1);
      let left = size;
      const takeNext = walkHits(state, hits);
      while (left > 0) {
        const { docs, parts } = takeNext(STEP);
        // Most documents come from the base, so the arrays of a part are looked up only when the part changes.
        let part = 0;
        let [ranks, numbers] = [order.ranks[0] as Uint32Array, columns[0] as Narrow];
        for (let at = 0; at < docs.length && left > 0; at++) {
          if (parts[at] !== part) {
            part = parts[at] as number;
            [ranks, numbers] = [order.ranks[part] as Uint32Array, columns[part] as Narrow];
          }
          const doc = docs[at] as number;
          const rank = ranks[numbers[doc] as number] as number;
          if (rank < first || rank > last) continue;
          const position = next[rank - first] as number;
          next[rank - first] = position + 1;
          if (position < from || position >= to) continue;
          page.docs[position - from] = doc;
          page.parts[position - from] = part;
          left--;
        }
        if (left > 0) yield;
      }
      return page;
    },
  };
}

/** A whole result is picked in at most this many walks through its hits. The rows of a walk take 5 bytes each until they are written. */
const MAX_WALKS = 50;

/** Reads the first `limit` hits in their order, some at a time. */
export async function* readWhole(
  size: number,
  take: (from: number, count: number) => Page | Promise<Page>,
  limit: number,
  write: (page: Page) => ResultLines,
): AsyncGenerator<ResultLines> {
  const window = Math.max(STEP, Math.ceil(size / MAX_WALKS));
  const end = Math.min(limit, size);
  for (let from = 0; from < end; from += window) {
    const { docs, parts } = await take(from, Math.min(window, end - from));
    for (let at = 0; at < docs.length; at += ROWS_PER_READ) {
      yield write({ docs: docs.subarray(at, at + ROWS_PER_READ), parts: parts.subarray(at, at + ROWS_PER_READ) });
    }
  }
}

/** Whether a query limits the days of registration. */
export function isDated({ registeredFrom, registeredTo }: Pick<Terms, 'registeredFrom' | 'registeredTo'>): boolean {
  return registeredFrom !== undefined || registeredTo !== undefined;
}

/**
 * The hits of one index that were registered on these days; later queries do not overwrite the result. The hits are tested one by one:
 * stored sets per day would take 4 bytes per entity, and a range of days would unite thousands of sets.
 */
export function* keepDated(index: SearchIndex, hits: Hits, terms: Terms): Steps<Hits> {
  const { registeredFrom = '0000-00-00', registeredTo = '9999-99-99' } = terms;
  const [first, last] = [readDay(registeredFrom), readDay(registeredTo)];
  const { dates } = datesOf(index, 'registeredAt');
  const numbers = index.arrays['summary.registeredAt'];
  const marks = new Marks(index.entities);
  yield* readInSteps(hits, (docs) => {
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      const date = dates[numbers[doc] as number] as number;
      if (date >= first && date <= last) marks.add(doc);
    }
  });
  return hitsOf(marks.toSet());
}
