import {
  type Bitmap,
  BLOCK_WORDS,
  blocksFor,
  countBlockBits,
  type DocSet,
  has,
  isDense,
  type Marks,
  type Match,
  NO_DOCS,
  takeDocs,
} from '../sets.ts';
import { firstFrom, intersectLists } from './lists.ts';

/** Sets that are computed for a query, in memory of their own: they stay valid while other queries run. */

/** A document is in it if it is in any of these. */
export type AnyOf = readonly DocSet[];

/** The documents of posting lists. `marks` must be empty, and is emptied again. */
export function uniteLists(match: Match, marks: Marks): DocSet {
  const { ranges, docs, cost, check } = match;
  if (ranges.length === 2 && check === undefined) return { size: cost, list: docs.subarray(ranges[0], ranges[1]) };
  if (cost > FEW) {
    marks.addMatch(match);
    return takeMarks(marks);
  }
  const list = new Uint32Array(cost);
  let count = 0;
  for (let range = 0; range < ranges.length; range += 2) {
    for (let at = ranges[range] as number; at < (ranges[range + 1] as number); at++) {
      const doc = docs[at] as number;
      if (check === undefined || check(doc)) list[count++] = doc;
    }
  }
  const sorted = list.subarray(0, count).sort();
  let distinct = 0;
  for (const doc of sorted) if (distinct === 0 || sorted[distinct - 1] !== doc) sorted[distinct++] = doc;
  return { size: distinct, list: sorted.subarray(0, distinct) };
}

/** Sorting at most so many documents is faster than marking them. */
const FEW = 4_096;

function takeMarks(marks: Marks): DocSet {
  const set = marks.toSet();
  marks.clear();
  return set;
}

export function sizeOf(any: AnyOf): number {
  return any.reduce((sum, { size }) => sum + size, 0);
}

/** The documents that are in any of the sets. */
export function uniteSets(any: AnyOf, marks: Marks): DocSet {
  const [first, ...others] = any.filter(({ size }) => size > 0);
  if (first === undefined) return NO_DOCS;
  if (others.length === 0) return first;
  // A bitmap is copied as a whole into empty marks.
  const byKind = [first, ...others].sort((a, b) => Number(a.bitmap === undefined) - Number(b.bitmap === undefined));
  for (const set of byKind) marks.addSet(set);
  return takeMarks(marks);
}

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
  if (only?.list !== undefined && second === undefined) {
    const kept = intersectLists(list, only.list);
    return { size: kept.length, list: kept };
  }
  const kept = new Uint8Array(list.length);
  let size = 0;
  for (const { list: other, bitmap } of any) {
    if (bitmap !== undefined)
      for (let at = 0; at < list.length; at++) kept[at] = Number(kept[at]) | Number(has(bitmap, list[at] as number));
    else
      eachCommon(list, other as Uint32Array, (at) => {
        kept[at] = 1;
      });
  }
  const docs = new Uint32Array(list.length);
  for (let at = 0; at < list.length; at++) {
    docs[size] = list[at] as number;
    size += kept[at] as number;
  }
  return { size, list: docs.subarray(0, size) };
}

/** Calls `use` with the position in the first list of each document that is in both. */
function eachCommon(list: Uint32Array, other: Uint32Array, use: (at: number) => void): void {
  const [few, many] = list.length < other.length ? [list, other] : [other, list];
  const isSwapped = few !== list;
  let at = 0;
  for (let item = 0; item < few.length; item++) {
    at = firstFrom(many, few[item] as number, at);
    if (at === many.length) return;
    if (many[at] === few[item]) use(isSwapped ? at : item);
  }
}

function intersectBitmaps({ bitmap }: DocSet, any: AnyOf, docCount: number): DocSet {
  const blocks = blocksFor(docCount);
  const bits = new Uint32Array(blocks * BLOCK_WORDS);
  const own = (bitmap as Bitmap).bits;
  for (const { bitmap: other, list } of any) {
    if (other !== undefined) addCommon(own, other.bits, bits);
    for (const doc of list ?? [])
      bits[doc >>> 5] = (bits[doc >>> 5] as number) | ((own[doc >>> 5] as number) & (1 << (doc & 31)));
  }
  return countBits(bits, docCount);
}

/** A separate function with nothing but a loop, which V8 compiles to a few instructions per word. */
function addCommon(a: Uint32Array, b: Uint32Array, into: Uint32Array): void {
  for (let at = 0; at < into.length; at++) into[at] = (into[at] as number) | ((a[at] as number) & (b[at] as number));
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
  const bits = (set.bitmap as Bitmap).bits.slice();
  for (const doc of part.list ?? []) bits[doc >>> 5] = (bits[doc >>> 5] as number) & ~(1 << (doc & 31));
  if (part.bitmap !== undefined) removeCommon(part.bitmap.bits, bits);
  return countBits(bits, docCount);
}

function removeCommon(a: Uint32Array, from: Uint32Array): void {
  for (let at = 0; at < from.length; at++) from[at] = (from[at] as number) & ~(a[at] as number);
}

/** As a list if that takes less memory: the next step is then faster, too. */
function countBits(bits: Uint32Array, docCount: number): DocSet {
  const counts = new Uint32Array(blocksFor(docCount));
  let size = 0;
  for (let block = 0; block < counts.length; block++) {
    counts[block] = countBlockBits(bits, block * BLOCK_WORDS);
    size += counts[block] as number;
  }
  const bitmap = { bits, counts };
  return isDense(size, docCount) ? { size, bitmap } : { size, list: takeDocs({ size, bitmap }, 0, size) };
}
