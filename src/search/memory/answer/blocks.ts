import { addPacked, followPacked, hasPacked, keepPacked, type PackedList, readPacked } from '../packed-lists.ts';
import {
  type Bitmap,
  BLOCK_DOCS,
  BLOCK_WORDS,
  countBlockBits,
  type DocSet,
  has,
  listBlock,
  NO_DOCS,
  type Test,
  takeDocs,
} from '../sets.ts';
import { firstFrom, followSet, intersectLists, keepIn, uniteSorted } from './lists.ts';
import { firstNotBelow } from './words.ts';

/**
 * Conditions on documents, and how to count and list the documents that meet a condition without computing their whole set: one block
 * of a bitmap, 4,096 documents, at a time, so that listing the first few documents reads only the first blocks.
 */

/** The union of a set and a list of few documents that the set lacks, or one set. */
export type AnyOf = readonly DocSet[];

/** A document meets a condition if it is in the union of every entry. */
export type Condition = readonly AnyOf[];

/** The set that a condition consists of, if it consists of one set. */
export function onlySetOf(all: Condition): DocSet | undefined {
  const [[only, second] = [], ...others] = all;
  return second === undefined && others.length === 0 ? only : undefined;
}

export function sizeOf(any: AnyOf): number {
  return any.reduce((sum, { size }) => sum + size, 0);
}

export function isInAny(any: AnyOf, doc: number): boolean {
  for (const set of any) if (isIn(set, doc)) return true;
  return false;
}

function isIn({ list, packed, bitmap }: DocSet, doc: number): boolean {
  if (bitmap !== undefined) return has(bitmap, doc);
  return packed === undefined ? list?.[firstFrom(list, doc, 0)] === doc : hasPacked(packed, doc);
}

export function fulfils(all: Condition, doc: number): boolean {
  for (const any of all) if (!isInAny(any, doc)) return false;
  return true;
}

/** The entry with the fewest documents among the entries that consist of one list. */
export function findShortest(all: Condition): { readonly entry: AnyOf; readonly set: DocSet } | undefined {
  let shortest: { readonly entry: AnyOf; readonly set: DocSet } | undefined;
  for (const entry of all) {
    const [set, second] = entry;
    if (set === undefined || set.bitmap !== undefined || second !== undefined) continue;
    if (set.size < (shortest?.set.size ?? Number.POSITIVE_INFINITY)) shortest = { entry, set };
  }
  return shortest;
}

/** If a list has at most this many documents per block, testing each document is faster than intersecting whole blocks. */
export const FEW_PER_BLOCK = 8;

/** The first `count` documents of all `blocks` that meet the condition, or fewer if there are fewer. The list is in newly allocated memory. */
export function listMeeting(all: Condition, blocks: number, count: number): Uint32Array {
  const shortest = findShortest(all);
  const docs = new Uint32Array(Math.min(count, shortest?.set.size ?? Math.min(...all.map(sizeOf))));
  let end = 0;
  if (shortest !== undefined && shortest.set.size <= FEW_PER_BLOCK * blocks) {
    const { entry } = shortest;
    const list = takeDocs(shortest.set);
    const tests = all.filter((any) => any !== entry).map(followAny);
    for (let at = 0; at < list.length && end < docs.length; at++) {
      const doc = list[at] as number;
      if (tests.every((isMet) => isMet(doc))) docs[end++] = doc;
    }
  } else {
    for (let block = 0; block < blocks && end < docs.length; block++) {
      if (loadBlock(all, block, loaded)) end = listBlock(loaded, 0, block, 0, docs, end, docs.length);
    }
  }
  return docs.subarray(0, end);
}

/** Creates a test whether a document is in the union. Documents must be tested in ascending order. */
function followAny(any: AnyOf): Test {
  const [first, ...others] = any.map(followSet);
  if (first === undefined) return () => false;
  return others.length === 0 ? first : (doc) => first(doc) || others.some((isIn) => isIn(doc));
}

const loaded = new Uint32Array(BLOCK_WORDS);

/** The bits to intersect: arrays, and the position where the block begins in each array. Reused by every query; a query has up to six. */
const sources: Uint32Array[] = [];
const starts: number[] = [];
/** Scratch memory for unions of sets, by the number of the source. */
const united: Uint32Array[] = [];

/** Counts the documents of a block that meet the condition. */
export function countBlock(all: Condition, block: number): number {
  const used = findSources(all, block);
  if (used < 0) return 0;
  // If at most one bitmap has a part of the block, the count of that bitmap is the answer.
  if (used < 2 && known !== UNKNOWN) return known;
  intersect(used, common);
  return countBlockBits(common, 0);
}

/** The first set of an entry. */
export function mainOf(any: AnyOf): AnyOf {
  return any.length > 1 ? any.slice(0, 1) : any;
}

/**
 * Lists the documents that meet the condition, but not with only the first sets of its entries. There are few, and testing each is faster
 * than copying every block of a bitmap to add the documents of a list.
 */
export function listBeside(all: Condition): Uint32Array {
  return uniteSorted(
    all.flatMap((any, at) => {
      const [, beside] = any;
      if (beside === undefined) return [];
      return [keepAll(beside, all.toSpliced(at, 1), new Uint32Array(beside.size))];
    }),
  );
}

/** Writes the bits of the documents that meet the condition to `into`. Returns false, and writes nothing, if a set has none in the block. */
export function loadBlock(all: Condition, block: number, into: Uint32Array): boolean {
  const used = findSources(all, block);
  if (used >= 0) intersect(used, into);
  return used >= 0;
}

const common = new Uint32Array(BLOCK_WORDS);
/** The number of documents of the last source in the block, or `UNKNOWN`. */
let known = 0;
const UNKNOWN = -1;

/** Returns the number of sources, or -1 if an entry has no document of the block. Bitmaps that are full in the block are not sources. */
function findSources(all: Condition, block: number): number {
  let used = 0;
  known = BLOCK_DOCS;
  for (let at = 0; at < all.length; at++) {
    const any = all[at] as AnyOf;
    const bitmap = any.length === 1 ? (any[0] as DocSet).bitmap : undefined;
    if (bitmap !== undefined) {
      const count = bitmap.counts[block] as number;
      if (count === 0) return -1;
      if (count === BLOCK_DOCS) continue;
      known = count;
      sources[used] = bitmap.bits;
      starts[used++] = block * BLOCK_WORDS;
    } else {
      united[used] ??= new Uint32Array(BLOCK_WORDS);
      if (!uniteBlock(any, block, united[used] as Uint32Array)) return -1;
      known = UNKNOWN;
      sources[used] = united[used] as Uint32Array;
      starts[used++] = 0;
    }
  }
  return used;
}

/** Intersects up to three sources at once: typically a filter, a broad fragment and the live documents. */
function intersect(used: number, into: Uint32Array): void {
  if (used === 0) {
    into.fill(0xffffffff);
    return;
  }
  const a = sources[0] as Uint32Array;
  const fromA = starts[0] as number;
  const b = sources[1] as Uint32Array;
  const fromB = starts[1] as number;
  if (used === 1) for (let at = 0; at < BLOCK_WORDS; at++) into[at] = a[fromA + at] as number;
  else if (used === 2) {
    for (let at = 0; at < BLOCK_WORDS; at++) into[at] = (a[fromA + at] as number) & (b[fromB + at] as number);
  } else {
    const c = sources[2] as Uint32Array;
    const fromC = starts[2] as number;
    for (let at = 0; at < BLOCK_WORDS; at++)
      into[at] = (a[fromA + at] as number) & (b[fromB + at] as number) & (c[fromC + at] as number);
  }
  for (let other = 3; other < used; other++) {
    const [more, from] = [sources[other] as Uint32Array, starts[other] as number];
    for (let at = 0; at < BLOCK_WORDS; at++) into[at] = (into[at] as number) & (more[from + at] as number);
  }
}

/** Writes the union of the sets in a block to `into`. Returns false if it is empty. */
function uniteBlock(any: AnyOf, block: number, into: Uint32Array): boolean {
  let isEmpty = true;
  for (const { list, packed, bitmap } of any) {
    if (bitmap === undefined) {
      if (isEmpty) into.fill(0);
      const isAdded =
        packed === undefined
          ? addList(list as Uint32Array, block, into)
          : addPacked(packed, block * BLOCK_DOCS, BLOCK_DOCS, into);
      if (isAdded) isEmpty = false;
    } else if (bitmap.counts[block] !== 0) {
      addBits(bitmap, block, into, isEmpty);
      isEmpty = false;
    }
  }
  return !isEmpty;
}

function addBits({ bits }: Bitmap, block: number, into: Uint32Array, isEmpty: boolean): void {
  const from = block * BLOCK_WORDS;
  if (isEmpty) for (let at = 0; at < BLOCK_WORDS; at++) into[at] = bits[from + at] as number;
  else for (let at = 0; at < BLOCK_WORDS; at++) into[at] = (into[at] as number) | (bits[from + at] as number);
}

/** Adds the documents of a list to the bits of a block. Returns whether the list has documents of the block. */
function addList(list: Uint32Array, block: number, into: Uint32Array): boolean {
  const first = block * BLOCK_DOCS;
  const start = firstNotBelow(list.length, (at) => (list[at] as number) < first);
  let at = start;
  for (; at < list.length; at++) {
    const place = (list[at] as number) - first;
    if (place >= BLOCK_DOCS) break;
    into[place >>> 5] = (into[place >>> 5] as number) | (1 << (place & 31));
  }
  return at > start;
}

/** The documents of a list or packed list that meet a condition, written to `into`, which may be the memory of the list. */
export function keepAll({ size, list, packed }: DocSet, all: Condition, into: Uint32Array): Uint32Array {
  if (packed === undefined) return keepInEach(list as Uint32Array, all, into);
  const [[only, second] = [], ...others] = all;
  if (only?.bitmap === undefined || second !== undefined) {
    return keepInEach(readPacked(packed, 0, into.subarray(0, size)), all, into);
  }
  return keepInEach(keepPacked(packed, only.bitmap.bits, into), others, into);
}

function keepInEach(list: Uint32Array, all: Condition, into: Uint32Array): Uint32Array {
  return all.reduce((kept, any) => {
    const [{ list: other, packed, bitmap } = NO_DOCS] = any;
    if (any.length > 1) return keepAny(kept, any, into);
    if (packed !== undefined) return keepInPacked(kept, packed, into);
    return bitmap === undefined ? intersectLists(kept, other as Uint32Array) : keepIn(kept, bitmap, into);
  }, list);
}

function keepInPacked(list: Uint32Array, packed: PackedList, into: Uint32Array): Uint32Array {
  const isIn = followPacked(packed);
  let end = 0;
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    if (isIn(doc)) into[end++] = doc;
  }
  return into.subarray(0, end);
}

/** The documents of a list that are in the union of an entry. */
function keepAny(list: Uint32Array, any: AnyOf, into: Uint32Array): Uint32Array {
  let end = 0;
  const blocks = ((list.at(-1) ?? 0) - (list[0] ?? 0)) / BLOCK_DOCS + 1;
  if (list.length <= FEW_PER_BLOCK * blocks) {
    for (let at = 0; at < list.length; at++) {
      const doc = list[at] as number;
      if (isInAny(any, doc)) into[end++] = doc;
    }
    return into.subarray(0, end);
  }
  for (let at = 0; at < list.length; ) {
    const block = Math.floor((list[at] as number) / BLOCK_DOCS);
    const isIn = uniteBlock(any, block, loaded);
    for (; at < list.length; at++) {
      const doc = list[at] as number;
      if (doc >= (block + 1) * BLOCK_DOCS) break;
      const place = doc & (BLOCK_DOCS - 1);
      if (isIn && (((loaded[place >>> 5] as number) >>> (place & 31)) & 1) === 1) into[end++] = doc;
    }
  }
  return into.subarray(0, end);
}
