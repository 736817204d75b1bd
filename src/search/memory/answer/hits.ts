import type { LiveDocs } from '../overlay.ts';
import {
  type Bitmap,
  BLOCK_DOCS,
  BLOCK_SHIFT,
  BLOCK_WORDS,
  commonBits,
  countBlockBits,
  type DocSet,
  popCount,
  readCommonDocs,
} from '../sets.ts';
import { firstNotBelow } from './words.ts';

/**
 * The documents of one index that a query found. They are in result order, and any part of them can be read without
 * listing the others. Unless it is kept, a result may be in scratch memory: it is valid until the next query.
 */
export interface Hits {
  readonly size: number;
  /** The memory of the result itself, without the stored sets that it reads. */
  readonly bytes: number;
  /** The same documents, if the result is one list or one bitmap. */
  readonly set?: DocSet | undefined;
  /** How many of the documents have a lower number. */
  countBefore(doc: number): number;
  /** Writes up to `count` documents after the first `from` to `into`, by default as many as it has room for. Returns how many. */
  read(from: number, into: Uint32Array, count?: number): number;
  /** A copy that later queries do not overwrite. */
  keep(): Hits;
}

function countRead({ size }: Hits, from: number, count: number): number {
  return Math.max(0, Math.min(count, size - from));
}

/** All documents of an index. */
class AllHits implements Hits {
  readonly size: number;
  readonly bytes = 0;

  constructor(size: number) {
    this.size = size;
  }

  countBefore(doc: number): number {
    return Math.min(doc, this.size);
  }

  read(from: number, into: Uint32Array, most = into.length): number {
    const count = countRead(this, from, most);
    for (let at = 0; at < count; at++) into[at] = from + at;
    return count;
  }

  keep(): Hits {
    return this;
  }
}

/** A sorted list. */
export class ListHits implements Hits {
  readonly size: number;
  readonly bytes: number;
  readonly set: DocSet;
  readonly #list: Uint32Array;
  readonly #isScratch: boolean;

  constructor(list: Uint32Array, { isScratch = false, bytes = 0 } = {}) {
    this.size = list.length;
    this.bytes = bytes;
    this.set = { size: list.length, list };
    this.#list = list;
    this.#isScratch = isScratch;
  }

  countBefore(doc: number): number {
    return firstNotBelow(this.size, (at) => (this.#list[at] as number) < doc);
  }

  read(from: number, into: Uint32Array, most = into.length): number {
    const count = countRead(this, from, most);
    for (let at = 0; at < count; at++) into[at] = this.#list[from + at] as number;
    return count;
  }

  keep(): Hits {
    return this.#isScratch ? new ListHits(this.#list.slice(), { bytes: this.#list.byteLength }) : this;
  }
}

export const NO_HITS: Hits = new ListHits(new Uint32Array(0));

/** The documents that are in all of several bitmaps. Only how many each block has is computed, not a bitmap of them. */
export class BitmapHits implements Hits {
  readonly size: number;
  readonly bytes: number;
  readonly counts: Uint32Array;
  readonly #bitmaps: readonly Uint32Array[];
  readonly #isScratch: boolean;

  constructor(
    size: number,
    bitmaps: readonly Uint32Array[],
    counts: Uint32Array,
    { isScratch = false, bytes = 0 } = {},
  ) {
    this.size = size;
    this.bytes = bytes;
    this.counts = counts;
    this.#bitmaps = bitmaps;
    this.#isScratch = isScratch;
  }

  countBefore(doc: number): number {
    if (doc >= this.counts.length * BLOCK_DOCS) return this.size;
    const last = doc >>> BLOCK_SHIFT;
    let count = 0;
    for (let block = 0; block < last; block++) count += this.counts[block] as number;
    count += countWords(this.#bitmaps, last * BLOCK_WORDS, doc >>> 5);
    return count + popCount(commonBits(this.#bitmaps, doc >>> 5) & ((1 << (doc & 31)) - 1));
  }

  read(from: number, into: Uint32Array, most = into.length): number {
    const wanted = countRead(this, from, most);
    readCommonDocs(this.#bitmaps, this.counts, from, into, wanted);
    return wanted;
  }

  get set(): DocSet | undefined {
    const [bits, second] = this.#bitmaps;
    if (bits === undefined || second !== undefined) return undefined;
    return { size: this.size, bitmap: { bits, counts: this.counts } };
  }

  keep(): Hits {
    if (!this.#isScratch) return this;
    return new BitmapHits(this.size, this.#bitmaps, this.counts.slice(), { bytes: this.counts.byteLength });
  }
}

function countWords(bitmaps: readonly Uint32Array[], from: number, to: number): number {
  let count = 0;
  const [first, second] = bitmaps as [Uint32Array, Uint32Array];
  // With an overlay, most results are one stored set without the hidden documents.
  if (bitmaps.length === 2) {
    for (let word = from; word < to; word++) count += popCount((first[word] as number) & (second[word] as number));
  } else for (let word = from; word < to; word++) count += popCount(commonBits(bitmaps, word));
  return count;
}

/** So many documents of a list are counted together. */
const CHUNK_SHIFT = 10;

/** The documents of a stored list that are not hidden. */
class LiveListHits implements Hits {
  readonly size: number;
  readonly bytes: number;
  readonly #list: Uint32Array;
  readonly #live: Uint32Array;
  /** How many documents each chunk of the list has that are not hidden. */
  readonly #counts: Uint16Array;

  constructor(list: Uint32Array, live: Uint32Array) {
    this.#list = list;
    this.#live = live;
    this.#counts = new Uint16Array(Math.ceil(list.length / (1 << CHUNK_SHIFT)));
    this.bytes = this.#counts.byteLength;
    this.size = 0;
    for (let chunk = 0; chunk < this.#counts.length; chunk++) {
      const count = countLive(list, chunk << CHUNK_SHIFT, Math.min(list.length, (chunk + 1) << CHUNK_SHIFT), live);
      this.#counts[chunk] = count;
      this.size += count;
    }
  }

  countBefore(doc: number): number {
    const end = firstNotBelow(this.#list.length, (at) => (this.#list[at] as number) < doc);
    const last = end >>> CHUNK_SHIFT;
    let count = 0;
    for (let chunk = 0; chunk < last; chunk++) count += this.#counts[chunk] as number;
    return count + countLive(this.#list, last << CHUNK_SHIFT, end, this.#live);
  }

  read(from: number, into: Uint32Array, most = into.length): number {
    const wanted = countRead(this, from, most);
    let chunk = 0;
    let skip = from;
    if (wanted > 0) while (skip >= (this.#counts[chunk] as number)) skip -= this.#counts[chunk++] as number;
    let found = 0;
    for (let at = chunk << CHUNK_SHIFT; found < wanted; at++) {
      const doc = this.#list[at] as number;
      if ((((this.#live[doc >>> 5] as number) >>> (doc & 31)) & 1) === 0) continue;
      if (skip > 0) skip--;
      else into[found++] = doc;
    }
    return wanted;
  }

  keep(): Hits {
    return this;
  }
}

function countLive(list: Uint32Array, from: number, to: number, live: Uint32Array): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const doc = list[at] as number;
    count += ((live[doc >>> 5] as number) >>> (doc & 31)) & 1;
  }
  return count;
}

/**
 * The documents of an index, and of each of its stored sets, that are not hidden. A set with hidden documents is counted
 * when it is first asked for; the counts take four bytes per 4,096 documents of the index, or less.
 *
 * Documents of an index are only ever hidden, never shown again. So if a block has as many documents that are not hidden
 * as it had before, they are the same documents, and a new overlay has to count only the blocks in which it hides more.
 */
export class LiveSets {
  /** Undefined if no document is hidden. */
  readonly live: LiveDocs | undefined;
  readonly all: Hits;
  readonly #counted = new WeakMap<DocSet, Hits>();
  #previous: LiveSets | undefined;

  constructor(docCount: number, live: LiveDocs | undefined, previous?: LiveSets) {
    this.live = live;
    this.all = live === undefined ? new AllHits(docCount) : hitsOf({ size: live.size, bitmap: live });
    this.#previous = previous;
    // Counts are carried over one by one, when they are needed, from the previous overlay but not from older ones.
    if (previous !== undefined) previous.#previous = undefined;
  }

  of(set: DocSet): Hits {
    const known = this.#counted.get(set);
    if (known !== undefined) return known;
    const hits = this.live === undefined ? hitsOf(set) : this.#count(set, this.live);
    this.#counted.set(set, hits);
    return hits;
  }

  #count(set: DocSet, live: LiveDocs): Hits {
    const { list, bitmap } = set;
    if (list !== undefined) return new LiveListHits(list, live.bits);
    const both = [bitmap as Bitmap, live];
    const counts = new Uint32Array(live.counts.length);
    const previous = this.#previous;
    const before = previous?.live;
    const old = previous === undefined ? undefined : previous.#counted.get(set);
    let size = 0;
    if (before === undefined || !(old instanceof BitmapHits)) size = countCommon(both, counts);
    else {
      for (let block = 0; block < counts.length; block++) {
        const isSame = before.counts[block] === live.counts[block];
        const count = isSame ? (old.counts[block] as number) : countBlock(both, block);
        counts[block] = count;
        size += count;
      }
    }
    return new BitmapHits(size, [(bitmap as Bitmap).bits, live.bits], counts);
  }
}

/** A set without hidden documents. */
export function hitsOf({ size, list, bitmap }: DocSet): Hits {
  if (list !== undefined) return new ListHits(list);
  const { bits, counts } = bitmap as Bitmap;
  return new BitmapHits(size, [bits], counts);
}

/**
 * Counts, block by block, the documents that all of the bitmaps have, and writes the counts to `into`. Returns the
 * total. A block in which a bitmap has all documents or none takes no work for that bitmap.
 */
export function countCommon(bitmaps: readonly Bitmap[], into: Uint32Array): number {
  let total = 0;
  for (let block = 0; block < into.length; block++) {
    const count = countBlock(bitmaps, block);
    into[block] = count;
    total += count;
  }
  return total;
}

/** Bitmaps of the block that is counted. Reused: a query has up to six. */
const partial: Uint32Array[] = [];

function countBlock(bitmaps: readonly Bitmap[], block: number): number {
  let used = 0;
  let known = BLOCK_DOCS;
  for (let at = 0; at < bitmaps.length; at++) {
    const { bits, counts } = bitmaps[at] as Bitmap;
    const count = counts[block] as number;
    if (count === 0) return 0;
    if (count === BLOCK_DOCS) continue;
    known = count;
    partial[used++] = bits;
  }
  // If at most one bitmap has a part of the block, the count of that bitmap is the answer.
  if (used < 2) return known;
  intersect(used, block * BLOCK_WORDS);
  return countBlockBits(common, 0);
}

const common = new Uint32Array(BLOCK_WORDS);

/** Up to three bitmaps at once: a filter, a broad fragment and the documents that are not hidden. */
function intersect(used: number, from: number): void {
  const [a, b, c] = partial as [Uint32Array, Uint32Array, Uint32Array];
  if (used === 2) {
    for (let at = 0; at < BLOCK_WORDS; at++) common[at] = (a[from + at] as number) & (b[from + at] as number);
    return;
  }
  for (let at = 0; at < BLOCK_WORDS; at++) {
    common[at] = (a[from + at] as number) & (b[from + at] as number) & (c[from + at] as number);
  }
  for (let other = 3; other < used; other++) {
    const more = partial[other] as Uint32Array;
    for (let at = 0; at < BLOCK_WORDS; at++) common[at] = (common[at] as number) & (more[from + at] as number);
  }
}
