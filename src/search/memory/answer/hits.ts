import { BLOCK_DOCS, BLOCK_SHIFT, BLOCK_WORDS, commonBits, type DocSet, popCount, readCommonDocs } from '../sets.ts';
import { firstNotBelow } from './words.ts';

/**
 * The documents of one index that a query found. They are in result order, and any part of them can be read without
 * listing the others. Unless it is kept, a result may be in scratch memory: it is valid until the next query.
 */
export interface Hits {
  readonly size: number;
  /** The memory of the result itself, without the stored sets that it reads. */
  readonly bytes: number;
  /** How many of the documents have a lower number. */
  countBefore(doc: number): number;
  /** Writes up to `count` documents after the first `from` to `into`, by default as many as it has room for. Returns how many. */
  read(from: number, into: Uint32Array, count?: number): number;
  /** A copy that later queries do not overwrite. */
  keep(): Hits;
  /** How many of the documents are in a stored set. Undefined if looking at each document is faster. */
  countIn?(set: DocSet): number;
}

function countRead({ size }: Hits, from: number, count: number): number {
  return Math.max(0, Math.min(count, size - from));
}

/** All documents of an index. */
export class AllHits implements Hits {
  readonly size: number;
  readonly bytes = 0;

  constructor(size: number) {
    this.size = size;
  }

  countBefore(doc: number): number {
    return Math.min(doc, this.size);
  }

  countIn(set: DocSet): number {
    return set.size;
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
  readonly #list: Uint32Array;
  readonly #isScratch: boolean;

  constructor(list: Uint32Array, { isScratch = false, bytes = 0 } = {}) {
    this.size = list.length;
    this.bytes = bytes;
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

  countIn({ list, bitmap }: DocSet): number {
    let count = 0;
    if (bitmap === undefined) {
      for (const doc of list as Uint32Array) count += (commonBits(this.#bitmaps, doc >>> 5) >>> (doc & 31)) & 1;
      return count;
    }
    const bitmaps = [bitmap.bits, ...this.#bitmaps];
    for (let block = 0; block < this.counts.length; block++) {
      const [here, ofSet] = [this.counts[block] as number, bitmap.counts[block] as number];
      if (here === 0 || ofSet === 0) continue;
      if (ofSet === BLOCK_DOCS) count += here;
      else count += countWords(bitmaps, block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS);
    }
    return count;
  }

  read(from: number, into: Uint32Array, most = into.length): number {
    const wanted = countRead(this, from, most);
    readCommonDocs(this.#bitmaps, this.counts, from, into, wanted);
    return wanted;
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
export class LiveListHits implements Hits {
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
