import type { Bitmap, DocSet, Marks, Match, Test } from '../sets.ts';
import type { Offsets } from '../shared-arrays.ts';

/** Unites and intersects posting lists. */

/** Adds the list of a group to the ranges and returns its length. */
export function addRange(ranges: number[], starts: Offsets, group: number): number {
  const from = starts[group] as number;
  const to = starts[group + 1] as number;
  if (to > from) ranges.push(from, to);
  return to - from;
}

/** Sorting and merging at most this many documents is faster than marking them in a bitmap. For a small bitmap, the limit is lower. */
const FEW = 4_096;
const FEW_SHIFT = 8;

/**
 * Unites posting lists into one sorted list if this is cheap. Most fragments have one long list, the list of the word
 * itself, and a few short lists. Results are written to two buffers that are reused, because filling fresh memory costs
 * more than the merge: a returned list is valid until the next query.
 */
export class ListUnion {
  readonly #buffers: readonly [Uint32Array, Uint32Array];
  readonly #few: number;

  constructor(docCount: number) {
    this.#few = Math.min(FEW, docCount >>> FEW_SHIFT);
    const room = docCount + 2 * FEW;
    this.#buffers = [new Uint32Array(room), new Uint32Array(room)];
  }

  /** The documents that are in any of the matches and in all bitmaps. Undefined if marking the documents is cheaper. */
  unite(matches: readonly Match[], filter: readonly Bitmap[]): Uint32Array | undefined {
    let united: Uint32Array | undefined;
    for (const match of matches) {
      const list = this.#toList(match, filter, this.#otherThan(united));
      if (list === undefined) return undefined;
      if (united === undefined) united = list;
      else {
        const [long, short] = list.length > united.length ? [list, united] : [united, list];
        if (short.length > this.#few) return undefined;
        united = mergeFew(long, short.slice(), this.#otherThan(long));
      }
    }
    return united;
  }

  /** Scratch memory with room for a list of all documents. */
  get scratch(): Uint32Array {
    return this.#buffers[0];
  }

  /** The buffer that does not contain the list, so that a merge never overwrites its input. */
  #otherThan(list: Uint32Array | undefined): Uint32Array {
    const [first, second] = this.#buffers;
    return list?.buffer === first.buffer ? second : first;
  }

  #toList(match: Match, filter: readonly Bitmap[], into: Uint32Array): Uint32Array | undefined {
    const { longest, rest } = findLongest(match);
    if (rest > this.#few) return undefined;
    const { check } = match;
    // The merge applies the first bitmap.
    const merged = mergeRanges(match, longest, rest, into, filter[0]?.bits);
    const list = keepIn(merged, rest > 0 ? filter.slice(1) : filter, into);
    return check === undefined ? list : keep(list, check, into);
  }
}

/** The documents of a match, in newly allocated memory or in memory of the index. `marks` must be empty, and is emptied again. */
export function uniteLists(match: Match, marks: Marks): DocSet {
  const { longest, rest } = findLongest(match);
  if (rest > FEW) {
    marks.addMatch(match);
    const set = marks.toSet();
    marks.clear();
    return set;
  }
  const merged = mergeRanges(match, longest, rest, new Uint32Array(rest === 0 ? 0 : match.cost));
  const list = match.check === undefined ? merged : merged.filter(match.check);
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

/** Merges all lists of a match, without applying its check. Several lists are merged to `into`, with the filter `bits`; one is not copied. */
function mergeRanges(
  { ranges, docs }: Match,
  longest: number,
  rest: number,
  into: Uint32Array,
  bits?: Uint32Array,
): Uint32Array {
  const long = docs.subarray(ranges[longest] ?? 0, ranges[longest + 1] ?? 0);
  if (rest === 0) return long;
  const few = new Uint32Array(rest);
  let filled = 0;
  for (let range = 0; range < ranges.length; range += 2) {
    if (range === longest) continue;
    for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) few[filled++] = docs[at] as number;
  }
  return mergeFew(long, few.sort(), into, bits);
}

/** The documents that are in any of the sorted lists. */
export function uniteSorted(lists: readonly Uint32Array[]): Uint32Array {
  const [longest = new Uint32Array(0), ...others] = lists.toSorted((a, b) => b.length - a.length);
  return others.reduce((long, few) => mergeFew(long, few, new Uint32Array(long.length + few.length)), longest);
}

/** Combines two tests. The second test runs only if the first passes, so the second should be the more expensive one. */
export function both(first: Test | undefined, second: Test | undefined): Test | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return (doc) => first(doc) && second(doc);
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

/** The documents of a list that pass, written to `into`, which may be the list itself. */
function keep(list: Uint32Array, passes: Test, into: Uint32Array): Uint32Array {
  let count = 0;
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    if (passes(doc)) into[count++] = doc;
  }
  return into.subarray(0, count);
}

/**
 * The documents of a list that are in all bitmaps, written to `into`, which may be the memory of the list. The loop has no
 * branch that depends on the documents, because the processor could not predict such a branch.
 */
export function keepIn(list: Uint32Array, bitmaps: readonly Bitmap[], into: Uint32Array): Uint32Array {
  let kept = list;
  for (const { bits } of bitmaps) kept = into.subarray(0, copyIn(kept, 0, kept.length, bits, into, 0));
  return kept;
}

/** Copies the documents that are in the bitmap to `into` and returns where they end. */
function copyIn(list: Uint32Array, from: number, to: number, bits: Uint32Array, into: Uint32Array, at: number): number {
  let end = at;
  for (let next = from; next < to; next++) {
    const doc = list[next] as number;
    into[end] = doc;
    end += ((bits[doc >>> 5] as number) >>> (doc & 31)) & 1;
  }
  return end;
}

/** Copies in a loop, because `set` is slower on shared memory. */
function copy(list: Uint32Array, from: number, to: number, into: Uint32Array, at: number): number {
  let end = at;
  for (let next = from; next < to; next++) into[end++] = list[next] as number;
  return end;
}

/**
 * Merges a few documents, ascending and possibly repeated, into a sorted list, and leaves out documents that are not in the bitmap, if
 * there is a bitmap. The result is written to `into`, which must not be the memory of the list.
 */
function mergeFew(list: Uint32Array, few: Uint32Array, into: Uint32Array, bits?: Uint32Array): Uint32Array {
  let from = 0;
  let end = 0;
  let last = -1;
  for (const doc of few) {
    if (doc === last) continue;
    last = doc;
    const to = firstFrom(list, doc, from);
    end = bits === undefined ? copy(list, from, to, into, end) : copyIn(list, from, to, bits, into, end);
    from = to;
    if (list[from] === doc) continue;
    into[end] = doc;
    end += bits === undefined ? 1 : ((bits[doc >>> 5] as number) >>> (doc & 31)) & 1;
  }
  const to = list.length;
  end = bits === undefined ? copy(list, from, to, into, end) : copyIn(list, from, to, bits, into, end);
  return into.subarray(0, end);
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
