import { followPacked } from '../packed-lists.ts';
import { type Bitmap, type DocSet, has, type Marks, type Match, type Test, toListSet } from '../sets.ts';

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
  const [long, few = NONE] = divideLists(match, marks);
  if (long === undefined) return scratch === undefined ? marks.toSet() : marks.asSet();
  if (few.length === 0) return toListSet(long);
  return toListSet(mergeFew(long, few, scratch ?? new Uint32Array(long.length + few.length)));
}

const NONE = new Uint32Array(0);

/**
 * The longest list of a match, and the documents of all other lists, sorted. If these are too many, marks the documents of all lists and
 * returns nothing.
 */
export function divideLists(match: Match, marks: Marks): readonly Uint32Array[] {
  const { longest, rest } = findLongest(match);
  if (rest > Math.min(FEW, marks.bits.length * FEW_PER_WORD)) {
    marks.addMatch({ ...match, check: undefined });
    return [];
  }
  const { ranges, docs } = match;
  const long = docs.subarray(ranges[longest] ?? 0, ranges[longest + 1] ?? 0);
  if (rest === 0) return [long];
  const few = new Uint32Array(rest);
  let filled = 0;
  for (let range = 0; range < ranges.length; range += 2) {
    if (range === longest) continue;
    for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) few[filled++] = docs[at] as number;
  }
  return [long, removeRepeated(sortDocs(few))];
}

function removeRepeated(docs: Uint32Array): Uint32Array {
  let end = 0;
  for (let at = 0; at < docs.length; at++) {
    docs[end] = docs[at] as number;
    end += Number(docs[at] !== docs[at + 1]);
  }
  return docs.subarray(0, end);
}

const [DIGIT_BITS, DIGIT] = [12, (1 << 12) - 1];
const places = new Uint32Array(DIGIT + 1);

/** Sorts documents by their digits, the last digit first. For more than a few documents, this takes a fifth of the time of the native sort. */
function sortDocs(docs: Uint32Array): Uint32Array {
  if (docs.length < 256) return docs.sort();
  let greatest = 0;
  for (let at = 0; at < docs.length; at++) greatest = Math.max(greatest, docs[at] as number);
  let from = docs;
  let into: Uint32Array = new Uint32Array(docs.length);
  for (let shift = 0; shift < 32 && greatest >>> shift > 0; shift += DIGIT_BITS) {
    places.fill(0);
    for (let at = 0; at < from.length; at++) {
      const digit = ((from[at] as number) >>> shift) & DIGIT;
      places[digit] = (places[digit] as number) + 1;
    }
    let start = 0;
    for (let digit = 0; digit <= DIGIT; digit++) {
      const count = places[digit] as number;
      places[digit] = start;
      start += count;
    }
    for (let at = 0; at < from.length; at++) {
      const doc = from[at] as number;
      const digit = (doc >>> shift) & DIGIT;
      const place = places[digit] as number;
      places[digit] = place + 1;
      into[place] = doc;
    }
    [from, into] = [into, from];
  }
  return from;
}

/** Finds the longest list of a match, and the number of documents in all other lists. */
function findLongest({ ranges, cost }: Match): { readonly longest: number; readonly rest: number } {
  let longest = 0;
  for (let range = 2; range < ranges.length; range += 2) {
    if (lengthOf(ranges, range) > lengthOf(ranges, longest)) longest = range;
  }
  return { longest, rest: ranges.length === 0 ? 0 : cost - lengthOf(ranges, longest) };
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
  // For a few documents, or if the lengths differ this much, looking each document up is faster than walking the long list.
  if (short.length < 256 || short.length * 16 < long.length) {
    let at = 0;
    for (const doc of short) {
      at = firstFrom(long, doc, at);
      if (long[at] === doc) shared[count++] = doc;
    }
    return shared.subarray(0, count);
  }
  // Otherwise the documents of the long list are marked, some at a time: comparing the lists would have a branch that cannot be predicted.
  for (let at = 0, next = 0; at < short.length; ) {
    const first = (short[at] as number) - ((short[at] as number) & MARKED);
    marked.fill(0);
    next = firstFrom(long, first, next);
    for (; next < long.length && (long[next] as number) - first <= MARKED; next++) {
      const place = (long[next] as number) - first;
      marked[place >>> 5] = (marked[place >>> 5] as number) | (1 << (place & 31));
    }
    for (; at < short.length && (short[at] as number) - first <= MARKED; at++) {
      const doc = short[at] as number;
      shared[count] = doc;
      count += ((marked[(doc - first) >>> 5] as number) >>> (doc & 31)) & 1;
    }
  }
  return shared.subarray(0, count);
}

const MARKED = (1 << 16) - 1;
const marked = new Uint32Array(1 << 11);

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

/** The documents of a list that are not in a set. */
export function leaveOut(docs: Uint32Array, set: DocSet): Uint32Array {
  const { bitmap } = set;
  const into = new Uint32Array(docs.length);
  let end = 0;
  if (bitmap !== undefined) {
    const { bits } = bitmap;
    for (let at = 0; at < docs.length; at++) {
      const doc = docs[at] as number;
      into[end] = doc;
      end += (~(bits[doc >>> 5] as number) >>> (doc & 31)) & 1;
    }
    return into.subarray(0, end);
  }
  const isIn = followSet(set);
  for (let at = 0; at < docs.length; at++) {
    const doc = docs[at] as number;
    if (!isIn(doc)) into[end++] = doc;
  }
  return into.subarray(0, end);
}

/** Creates a test whether a document is in the set. Documents must be tested in ascending order. */
export function followSet({ list, packed, bitmap }: DocSet): Test {
  if (bitmap !== undefined) return (doc) => has(bitmap, doc);
  return packed === undefined ? followList(list as Uint32Array) : followPacked(packed);
}

export function followList(list: Uint32Array): Test {
  let at = 0;
  return (doc) => {
    at = firstFrom(list, doc, at);
    return list[at] === doc;
  };
}

/** Copies in a loop, because `set` is slower on shared memory. */
function copy(list: Uint32Array, from: number, to: number, into: Uint32Array, at: number): number {
  let end = at;
  for (let next = from; next < to; next++) into[end++] = list[next] as number;
  return end;
}

/** Merges a few documents, ascending, into a sorted list. `into` must not be the memory of the list. */
function mergeFew(list: Uint32Array, few: Uint32Array, into: Uint32Array): Uint32Array {
  let from = 0;
  let end = 0;
  for (const doc of few) {
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
