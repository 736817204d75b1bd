import { type ResultLines, ROWS_PER_READ } from '../../search.ts';
import { COMBINATION, partOf } from '../encodings.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { Marks } from '../sets.ts';
import type { Narrow } from '../shared-arrays.ts';
import { countNumbers } from './count-values.ts';
import { type Hits, hitsOf } from './hits.ts';
import { type Page, walkHits } from './merge-page.ts';
import { readInSteps, runInTurns, STEP, type Steps, walkInSteps } from './steps.ts';
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

/**
 * Ranks the values of all indexes. Documents refer to values by number, but each index numbers its values differently; ranks can be
 * compared across indexes. There are tens of thousands of dates, so the order within an index is kept, and merged for a new overlay.
 */
export function orderValues(indexes: readonly SearchIndex[], field: SortField): ValueOrder {
  const orders = indexes.map((index) => orderOf(index, field));
  const all = distinct(Float64Array.from(orders.flatMap(({ sorted }) => [...sorted])));
  const ranks = orders.map(({ sorted, places }) => {
    const ofSorted = new Uint32Array(sorted.length);
    for (let place = 0, at = 0; place < sorted.length; place++) {
      while ((all[at] as number) < (sorted[place] as number)) at++;
      ofSorted[place] = all.length - 1 - at;
    }
    return places.map((place) => ofSorted[place] as number);
  });
  return { count: all.length, ranks };
}

/** For each document, the number of its value, or of a combination that contains the value. */
function numbersOf({ arrays }: SearchIndex, field: SortField): Narrow {
  return field === 'registeredAt' ? arrays['summary.registeredAt'] : arrays.combination;
}

interface OwnOrder {
  /** The distinct dates, ascending. */
  readonly sorted: Float64Array;
  /** By number in `numbersOf`: the position of the value in `sorted`. */
  readonly places: Uint32Array;
}

const known: Readonly<Record<SortField, WeakMap<SearchIndex, OwnOrder>>> = {
  registeredAt: new WeakMap(),
  updatedAt: new WeakMap(),
};

function orderOf(index: SearchIndex, field: SortField): OwnOrder {
  return known[field].getOrInsertComputed(index, () => sortOwn(index, field));
}

function sortOwn(index: SearchIndex, field: SortField): OwnOrder {
  const read = field === 'registeredAt' ? readDay : Number;
  const values = index.texts.columns[field];
  const dates = new Float64Array(values.length);
  for (let number = 0; number < values.length; number++) {
    const value = values.at(number);
    dates[number] = value === null ? NO_DATE : read(value);
  }
  const sorted = distinct(dates.slice());
  const places = new Uint32Array(dates.length);
  for (const [number, date] of dates.entries()) places[number] = findPlace(sorted, date);
  const part = partOf(field);
  if (part < 0) return { sorted, places };
  const { combinationParts: parts } = index.arrays;
  const ofCombinations = new Uint32Array(parts.length / COMBINATION);
  for (let of = 0; of < ofCombinations.length; of++) {
    ofCombinations[of] = places[parts[of * COMBINATION + part] as number] as number;
  }
  return { sorted, places: ofCombinations };
}

const NO_DATE = -1;

/** The position of the first date that is not before the given date. */
function findPlace(sorted: Float64Array, date: number): number {
  return firstNotBelow(sorted.length, (place) => (sorted[place] as number) < date);
}

/** Turns `2024-01-31` into 20240131, because comparing numbers is much faster than comparing texts. */
function readDay(text: string): number {
  return Number(text.slice(0, 4)) * 10_000 + Number(text.slice(5, 7)) * 100 + Number(text.slice(8, 10));
}

/** Sorts the numbers in place and returns the distinct ones. */
function distinct(numbers: Float64Array): Float64Array {
  numbers.sort();
  let count = 0;
  for (const number of numbers) if (count === 0 || numbers[count - 1] !== number) numbers[count++] = number;
  return numbers.subarray(0, count);
}

/**
 * Hits in the order of a date, the latest first, and of names within a date. Nothing is sorted: the number of hits of each date determines
 * the dates on a page, and a walk through the hits in the order of names picks the documents of these dates. See
 * docs/decisions/0008-search-index.md.
 */
export interface SortedHits {
  readonly size: number;
  readonly bytes: number;
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

/** The end of the run of documents from one index. Runs are long, because most of a page comes from the base. */
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

/** A whole result is picked in at most this many walks through its hits. The rows of a walk take 5 bytes each until they are written. */
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

/** Whether a query limits the days of registration. */
export function isDated({ registeredFrom, registeredTo }: Pick<Terms, 'registeredFrom' | 'registeredTo'>): boolean {
  return registeredFrom !== undefined || registeredTo !== undefined;
}

/**
 * The hits of one index that were registered on these days; later queries do not overwrite the result. The hits are tested one by one:
 * stored sets per day would take 4 bytes per entity, and a range of days would unite thousands of sets.
 */
export function* keepDated(index: SearchIndex, hits: Hits, terms: Terms): Steps<Hits> {
  const { registeredFrom = FIRST, registeredTo = LAST } = terms;
  const { sorted, places } = orderOf(index, 'registeredAt');
  const from = findPlace(sorted, readDay(registeredFrom));
  const to = findPlace(sorted, readDay(registeredTo) + 1);
  const numbers = index.arrays['summary.registeredAt'];
  const marks = new Marks(index.entities);
  yield* readInSteps(hits, (docs) => {
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      const place = places[numbers[doc] as number] as number;
      if (place >= from && place < to) marks.add(doc);
    }
  });
  return hitsOf(marks.toSet());
}

/** Limits before and after every day. `NO_DATE` sorts before `FIRST`. */
const [FIRST, LAST] = ['0000-00-00', '9999-99-99'];
