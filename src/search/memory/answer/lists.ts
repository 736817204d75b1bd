import type { Bitmap, DocSet, Marks, Match, Test } from '../sets.ts';

/** Unites and intersects posting lists. */

/** Sorting and merging at most this many documents is faster than marking them in a bitmap. For a small bitmap, the limit is lower. */
const FEW = 4_096;
const FEW_PER_WORD = 1 / 8;

/**
 * The documents in the lists of a match, without applying its check: a list, because most fragments have one long list, the list of the word
 * itself, and a few short lists; or a bitmap, if merging the lists would take longer. With `scratch`, which has room for all documents, the
 * result may be in this memory or in `marks`, because filling fresh memory costs more than the merge. `marks` must be empty.
 */
export function uniteLists(match: Match, marks: Marks, scratch?: Uint32Array): DocSet {
  const { longest, rest } = findLongest(match);
  if (rest > Math.min(FEW, marks.bits.length * FEW_PER_WORD)) {
    marks.addMatch({ ...match, check: undefined });
    return scratch === undefined ? marks.toSet() : marks.asSet();
  }
  const list = mergeRanges(match, longest, rest, scratch ?? new Uint32Array(rest === 0 ? 0 : match.cost));
  return { size: list.length, list };
}

/** Finds the longest list of a match, and the number of documents in all other lists. */
function findLongest({ ranges, cost }: Match): { readonly longest: number; readonly rest: number } {
  let longest = 0;
  for (let range = 2; range < ranges.length; range += 2) {
    if (lengthOf(ranges, range) > lengthOf(ranges, longest)) longest = range;
  }
  return { longest, rest: ranges.length === 0 ? 0 : cost - lengthOf(ranges, longest) };
}

/** Merges all lists of a match. Several lists are merged to `into`; one list is not copied. */
function mergeRanges({ ranges, docs }: Match, longest: number, rest: number, into: Uint32Array): Uint32Array {
  const long = docs.subarray(ranges[longest] ?? 0, ranges[longest + 1] ?? 0);
  if (rest === 0) return long;
  const few = new Uint32Array(rest);
  let filled = 0;
  for (let range = 0; range < ranges.length; range += 2) {
    if (range === longest) continue;
    for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) few[filled++] = docs[at] as number;
  }
  return mergeFew(long, few.sort(), into);
}

/** The documents that are in any of the sorted lists. */
export function uniteSorted(lists: readonly Uint32Array[]): Uint32Array {
  const [longest = new Uint32Array(0), ...others] = lists.toSorted((a, b) => b.length - a.length);
  return others.reduce((long, few) => mergeFew(long, few, new Uint32Array(long.length + few.length)), longest);
}

function lengthOf(ranges: readonly number[], range: number): number {
  return (ranges[range + 1] as number) - (ranges[range] as number);
}

/** The documents that are in both sorted lists. */
export function intersectLists(a: Uint32Array, b: Uint32Array): Uint32Array {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const shared = new Uint32Array(short.length);
  let count = 0;
  // If the lengths differ this much, looking each document up is faster than walking the long list.
  if (short.length * 16 < long.length) {
    let at = 0;
    for (const doc of short) {
      at = firstFrom(long, doc, at);
      if (long[at] === doc) shared[count++] = doc;
    }
    return shared.subarray(0, count);
  }
  for (let atA = 0, atB = 0; atA < a.length && atB < b.length; ) {
    const difference = (a[atA] as number) - (b[atB] as number);
    if (difference === 0) shared[count++] = a[atA] as number;
    if (difference <= 0) atA++;
    if (difference >= 0) atB++;
  }
  return shared.subarray(0, count);
}

/** The documents of a list that pass, written to `into`, which may be the memory of the list. */
export function keepPassing(list: Uint32Array, passes: Test, into: Uint32Array): Uint32Array {
  let count = 0;
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    if (passes(doc)) into[count++] = doc;
  }
  return into.subarray(0, count);
}

/**
 * The documents of a list that are in a bitmap, written to `into`, which may be the memory of the list. The loop has no
 * branch that depends on the documents, because the processor could not predict such a branch.
 */
export function keepIn(list: Uint32Array, { bits }: Bitmap, into: Uint32Array): Uint32Array {
  let end = 0;
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    into[end] = doc;
    end += ((bits[doc >>> 5] as number) >>> (doc & 31)) & 1;
  }
  return into.subarray(0, end);
}

/** Copies in a loop, because `set` is slower on shared memory. */
function copy(list: Uint32Array, from: number, to: number, into: Uint32Array, at: number): number {
  let end = at;
  for (let next = from; next < to; next++) into[end++] = list[next] as number;
  return end;
}

/** Merges a few documents, ascending and possibly repeated, into a sorted list. `into` must not be the memory of the list. */
function mergeFew(list: Uint32Array, few: Uint32Array, into: Uint32Array): Uint32Array {
  let from = 0;
  let end = 0;
  let last = -1;
  for (const doc of few) {
    if (doc === last) continue;
    last = doc;
    const to = firstFrom(list, doc, from);
    end = copy(list, from, to, into, end);
    from = to;
    if (list[from] !== doc) into[end++] = doc;
  }
  return into.subarray(0, copy(list, from, list.length, into, end));
}

/** The position of a document in the sorted list, or the position where it would be. Searches near `from` first. */
export function firstFrom(list: Uint32Array, doc: number, from: number): number {
  let low = from;
  let step = 1;
  while (low + step <= list.length && (list[low + step - 1] as number) < doc) {
    low += step;
    step *= 2;
  }
  let high = Math.min(list.length, low + step - 1);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}
