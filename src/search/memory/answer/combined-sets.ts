import {
  type Bitmap,
  BLOCK_SHIFT,
  BLOCK_WORDS,
  countBlockBits,
  type DocSet,
  has,
  isDense,
  type Marks,
  type Match,
  NO_DOCS,
} from '../sets.ts';
import { copyIn, firstFrom, gather, intersectLists, lengthOf, mergeFew } from './lists.ts';

/** Sets that are computed for a query, in memory of their own: they stay valid while other queries run. */

/** A document is in it if it is in any of these. */
export type AnyOf = readonly DocSet[];

/** The documents of posting lists. `marks` must be empty, and is emptied again. There may be thousands of lists. */
export function uniteLists(match: Match, marks: Marks): DocSet {
  const { ranges, docs, cost, check } = match;
  let longest = 0;
  for (let range = 2; range < ranges.length; range += 2)
    if (lengthOf(ranges, range) > lengthOf(ranges, longest)) longest = range;
  const rest = cost - lengthOf(ranges, longest);
  if (rest > FEW) {
    marks.addMatch(match);
    return takeMarks(marks);
  }
  const long = docs.subarray(ranges[longest], ranges[longest + 1]);
  const list = rest === 0 ? long : mergeFew(long, gather(ranges, docs, longest, rest), new Uint32Array(cost));
  return toSet(check === undefined ? list : list.filter(check));
}

function toSet(list: Uint32Array): DocSet {
  return { size: list.length, list };
}

/** Besides the longest list, merging at most so many documents is faster than marking all. */
const FEW = 4_096;

function takeMarks(marks: Marks): DocSet {
  const { bits, counts, size } = marks;
  const isLong = isDense(size, bits.length * 32);
  const set = isLong
    ? { size, bitmap: { bits: bits.slice(), counts: counts.slice() } }
    : { size, list: listBits(bits, counts, size) };
  marks.clear();
  return set;
}

/** The documents of a bitmap. */
function listBits(bits: Uint32Array, counts: Uint32Array, size: number): Uint32Array {
  const list = new Uint32Array(size);
  let count = 0;
  for (let block = 0; block < counts.length; block++) {
    if (counts[block] === 0) continue;
    for (let word = block * BLOCK_WORDS; word < (block + 1) * BLOCK_WORDS; word++)
      // `left & (left - 1)` clears the lowest one bit.
      for (let left = bits[word] as number; left !== 0; left &= left - 1)
        list[count++] = word * 32 + 31 - Math.clz32(left & -left);
  }
  return list;
}

/** Whether all of these sets are among the others. */
export function hasAll(any: AnyOf, sets: AnyOf): boolean {
  return sets.every((set) => any.includes(set));
}

export function sizeOf(any: AnyOf): number {
  return any.reduce((sum, { size }) => sum + size, 0);
}

/** The documents that are in any of the sets. `marks` must be empty, and is emptied again. */
export function uniteSets(any: AnyOf, marks: Marks): DocSet {
  const [largest, ...others] = any.filter(({ size }) => size > 0).sort((a, b) => b.size - a.size);
  if (largest === undefined) return NO_DOCS;
  if (others.length === 0) return largest;
  const rest = sizeOf(others);
  if (largest.list !== undefined && rest <= FEW) {
    const few = new Uint32Array(rest);
    let at = 0;
    for (const { list = NO_LIST } of others) {
      few.set(list, at);
      at += list.length;
    }
    return toSet(mergeFew(largest.list, few, new Uint32Array(largest.size + rest)));
  }
  // A bitmap is copied as a whole into empty marks.
  for (const set of [largest, ...others].sort(
    (a, b) => Number(a.bitmap === undefined) - Number(b.bitmap === undefined),
  ))
    marks.addSet(set);
  return takeMarks(marks);
}

const NO_LIST = new Uint32Array(0);

/** The documents of a set that are in any of the others. */
export function keepAny(set: DocSet, any: AnyOf, docCount: number): DocSet {
  if (set.list !== undefined) return keepInList(set.list, any);
  const [only, second] = any;
  if (only === undefined) return NO_DOCS;
  if (second === undefined) {
    return only.list === undefined ? intersectBitmaps(set, [only], docCount) : keepInList(only.list, [set]);
  }
  return intersectBitmaps(set, any, docCount);
}

function keepInList(list: Uint32Array, any: AnyOf): DocSet {
  const [only, second] = any;
  if (only === undefined) return NO_DOCS;
  const docs = new Uint32Array(list.length);
  if (second === undefined) {
    if (only.list !== undefined) return toSet(intersectLists(list, only.list));
    return toSet(docs.subarray(0, copyIn(list, 0, list.length, (only.bitmap as Bitmap).bits, docs, 0)));
  }
  const kept = new Uint8Array(list.length);
  for (const { list: other, bitmap } of any) {
    if (bitmap !== undefined) markIn(list, bitmap.bits, kept);
    else markCommon(list, other as Uint32Array, kept);
  }
  let size = 0;
  for (let at = 0; at < list.length; at++) {
    docs[size] = list[at] as number;
    size += kept[at] as number;
  }
  return toSet(docs.subarray(0, size));
}

function markIn(list: Uint32Array, bits: Uint32Array, kept: Uint8Array): void {
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    kept[at] = (kept[at] as number) | (((bits[doc >>> 5] as number) >>> (doc & 31)) & 1);
  }
}

/** Marks the documents of the first list that are in the other. */
function markCommon(list: Uint32Array, other: Uint32Array, kept: Uint8Array): void {
  const [short, long] = list.length < other.length ? [list, other] : [other, list];
  // If the lengths differ this much, looking each document up is faster than walking the long list.
  if (short.length * 16 < long.length) {
    for (let item = 0, at = 0; item < short.length; item++) {
      at = firstFrom(long, short[item] as number, at);
      if (long[at] === short[item]) kept[short === list ? item : at] = 1;
    }
    return;
  }
  for (let a = 0, b = 0; a < list.length && b < other.length; ) {
    const difference = (list[a] as number) - (other[b] as number);
    if (difference === 0) kept[a] = 1;
    if (difference <= 0) a++;
    if (difference >= 0) b++;
  }
}

/** Block by block: a block stays in the processor's cache while its bits are counted. */
function intersectBitmaps({ bitmap }: DocSet, any: AnyOf, docCount: number): DocSet {
  const own = bitmap as Bitmap;
  const counts = new Uint32Array(own.counts.length);
  const bits = new Uint32Array(counts.length * BLOCK_WORDS);
  const others = any.flatMap((set) => set.bitmap ?? []);
  for (let block = 0; block < counts.length; block++) {
    if (own.counts[block] === 0) continue;
    for (const other of others)
      if (other.counts[block] !== 0) addCommon(own.bits, other.bits, bits, block * BLOCK_WORDS);
    counts[block] = countBlockBits(bits, block * BLOCK_WORDS);
  }
  for (const { list = NO_LIST } of any) {
    for (let at = 0; at < list.length; at++) {
      const doc = list[at] as number;
      const bit = 1 << (doc & 31);
      const word = bits[doc >>> 5] as number;
      if ((word & bit) !== 0 || ((own.bits[doc >>> 5] as number) & bit) === 0) continue;
      bits[doc >>> 5] = word | bit;
      counts[doc >>> BLOCK_SHIFT] = (counts[doc >>> BLOCK_SHIFT] as number) + 1;
    }
  }
  return describeBits(bits, counts, docCount);
}

/** A separate function with nothing but a loop, which V8 compiles to a few instructions per word. */
function addCommon(a: Uint32Array, b: Uint32Array, into: Uint32Array, from: number): void {
  for (let at = from; at < from + BLOCK_WORDS; at++)
    into[at] = (into[at] as number) | ((a[at] as number) & (b[at] as number));
}

/** The documents of a set that are not in a part of it. */
export function leaveOut(set: DocSet, part: DocSet, docCount: number): DocSet {
  if (part.size === 0) return set;
  const { list } = set;
  if (list !== undefined) {
    const left = new Uint32Array(set.size - part.size);
    let [count, at] = [0, 0];
    const isIn = part.bitmap;
    for (const doc of list) {
      if (isIn === undefined ? part.list?.[at] === doc : has(isIn, doc)) at++;
      else left[count++] = doc;
    }
    return { size: left.length, list: left };
  }
  const own = set.bitmap as Bitmap;
  const [bits, counts] = [own.bits.slice(), own.counts.slice()];
  const { list: few = NO_LIST, bitmap: many } = part;
  for (let at = 0; at < few.length; at++) {
    const doc = few[at] as number;
    bits[doc >>> 5] = (bits[doc >>> 5] as number) & ~(1 << (doc & 31));
    counts[doc >>> BLOCK_SHIFT] = (counts[doc >>> BLOCK_SHIFT] as number) - 1;
  }
  for (let block = 0; many !== undefined && block < counts.length; block++) {
    if (many.counts[block] === 0) continue;
    removeCommon(many.bits, bits, block * BLOCK_WORDS);
    counts[block] = (counts[block] as number) - (many.counts[block] as number);
  }
  return describeBits(bits, counts, docCount);
}

function removeCommon(a: Uint32Array, from: Uint32Array, first: number): void {
  for (let at = first; at < first + BLOCK_WORDS; at++) from[at] = (from[at] as number) & ~(a[at] as number);
}

/** As a list if that takes less memory: the next step is then faster, too. */
function describeBits(bits: Uint32Array, counts: Uint32Array, docCount: number): DocSet {
  let size = 0;
  for (let block = 0; block < counts.length; block++) size += counts[block] as number;
  return isDense(size, docCount) ? { size, bitmap: { bits, counts } } : toSet(listBits(bits, counts, size));
}
