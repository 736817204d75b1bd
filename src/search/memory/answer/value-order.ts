import { COMBINATION, partOf } from '../combinations.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Narrow } from '../shared-arrays.ts';
import { firstNotBelow } from './words.ts';

/** The fields that results can be sorted by. */
export type SortField = 'registeredAt' | 'updatedAt';

/** The values of a field in all indexes, ranked: the latest date has rank 0, and null comes last. */
export interface ValueOrder {
  readonly count: number;
  /** By index: the rank of each value, by its number in `numbersOf`. */
  readonly ranks: readonly Uint32Array[];
}

/**
 * Documents have numbers of values, and each index numbers its values on its own. Ranks compare them across indexes. There are tens of
 * thousands of dates, so what belongs to one index is kept, and only merged for a new overlay.
 */
export function orderValues(indexes: readonly SearchIndex[], field: SortField): ValueOrder {
  const orders = indexes.map((index) => orderOf(index, field));
  const all = distinct(concat(orders.map(({ sorted }) => sorted)));
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

/** Of each document, the number of its value or of a combination with this value. */
export function numbersOf({ arrays }: SearchIndex, field: SortField): Narrow {
  return field === 'registeredAt' ? arrays['summary.registeredAt'] : arrays.combination;
}

interface OwnOrder {
  /** The distinct dates, ascending. */
  readonly sorted: Float64Array;
  /** By number in `numbersOf`: the place of the value in `sorted`. */
  readonly places: Uint32Array;
}

const known: Readonly<Record<SortField, WeakMap<SearchIndex, OwnOrder>>> = {
  registeredAt: new WeakMap(),
  updatedAt: new WeakMap(),
};

export function orderOf(index: SearchIndex, field: SortField): OwnOrder {
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

/** The first place whose date is not before this one. */
export function findPlace(sorted: Float64Array, date: number): number {
  return firstNotBelow(sorted.length, (place) => (sorted[place] as number) < date);
}

/** `2024-01-31` as 20240131: comparing numbers is much faster than comparing texts. */
export function readDay(text: string): number {
  return Number(text.slice(0, 4)) * 10_000 + Number(text.slice(5, 7)) * 100 + Number(text.slice(8, 10));
}

function concat(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

/** Sorts the numbers in place. */
function distinct(numbers: Float64Array): Float64Array {
  numbers.sort();
  let count = 0;
  for (const number of numbers) if (count === 0 || numbers[count - 1] !== number) numbers[count++] = number;
  return numbers.subarray(0, count);
}
