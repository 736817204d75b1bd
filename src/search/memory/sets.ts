import { chunksFor, isPacked, type PackedList, readPacked, viewPacked } from './packed-lists.ts';
import type { SetArrays } from './search-index.ts';

/**
 * Sets of documents: a sorted list for few documents, a bitmap for many. Documents are numbered in result order, so a page
 * is a slice of a list, or a few bits of a bitmap, found by the counts of its blocks. Stored lists are packed unless they are tiny.
 */
export interface DocSet {
  readonly size: number;
  readonly list?: Uint32Array;
  readonly packed?: PackedList;
  readonly bitmap?: Bitmap;
}

export function toListSet(list: Uint32Array): DocSet {
  return { size: list.length, list };
}

export const NO_DOCS = toListSet(new Uint32Array(0));

/** Posting lists whose documents contain a fragment or, if there is a check, may contain it. */
export interface Match {
  /** Indexes into `docs`: from, to, from, to … Each range is one sorted list. */
  readonly ranges: readonly number[];
  readonly docs: Uint32Array;
  /** The sum of the lengths of all ranges: a document in several ranges counts several times. */
  readonly cost: number;
  readonly check?: Test | undefined;
}

export type Test = (doc: number) => boolean;

export interface Bitmap {
  readonly bits: Uint32Array;
  /** The number of documents in each block of the bitmap. */
  readonly counts: Uint32Array;
}

/**
 * 4,096 documents per block. Finding a page adds up the counts of the blocks before it (1,221 at 5 million documents),
 * then looks through the 128 words of one block.
 */
export const BLOCK_SHIFT = 12;
export const BLOCK_WORDS = 1 << (BLOCK_SHIFT - 5);
export const BLOCK_DOCS = 1 << BLOCK_SHIFT;

export function blocksFor(docCount: number): number {
  return Math.ceil(docCount / (1 << BLOCK_SHIFT));
}

/** From this size on a set is a bitmap, one bit per document, which is intersected faster than a list. */
export function isDense(size: number, docCount: number): boolean {
  return size * 32 > docCount;
}

export function has({ bits }: Bitmap, doc: number): boolean {
  return (((bits[doc >>> 5] as number) >>> (doc & 31)) & 1) === 1;
}

/** The number of one bits in a 32-bit word, counted in parallel: pairs, nibbles, bytes, then the sum of the bytes. */
export function popCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * The number of one bits in a block of a bitmap. Each of the 32 bit positions has a counter of four bits, one bit in each of the four
 * words `ones` to `eights`. This takes half the instructions of counting the bits of every word.
 */
export function countBlockBits(bits: Uint32Array, from: number): number {
  let [ones, twos, fours, eights] = [0, 0, 0, 0];
  for (let word = from; word < from + BLOCK_WORDS; word += 8) {
    // Each step adds two words to `ones`; the carry is added to `twos`, and so on.
    let a = bits[word] as number;
    let b = bits[word + 1] as number;
    let mixed = ones ^ a;
    const carry1 = (ones & a) | (mixed & b);
    ones = mixed ^ b;
    a = bits[word + 2] as number;
    b = bits[word + 3] as number;
    mixed = ones ^ a;
    const carry2 = (ones & a) | (mixed & b);
    ones = mixed ^ b;
    mixed = twos ^ carry1;
    const carry3 = (twos & carry1) | (mixed & carry2);
    twos = mixed ^ carry2;
    a = bits[word + 4] as number;
    b = bits[word + 5] as number;
    mixed = ones ^ a;
    const carry4 = (ones & a) | (mixed & b);
    ones = mixed ^ b;
    a = bits[word + 6] as number;
    b = bits[word + 7] as number;
    mixed = ones ^ a;
    const carry5 = (ones & a) | (mixed & b);
    ones = mixed ^ b;
    mixed = twos ^ carry4;
    const carry6 = (twos & carry4) | (mixed & carry5);
    twos = mixed ^ carry5;
    mixed = fours ^ carry3;
    eights += popCount((fours & carry3) | (mixed & carry6));
    fours = mixed ^ carry6;
  }
  return 8 * eights + 4 * popCount(fours) + 2 * popCount(twos) + popCount(ones);
}

/** The first `count` documents of the set, or all. */
export function takeDocs({ size, list, packed, bitmap }: DocSet, count = size): Uint32Array {
  if (packed !== undefined) return readPacked(packed, 0, new Uint32Array(Math.min(count, size)));
  if (bitmap === undefined) return (list as Uint32Array).subarray(0, count);
  const docs = new Uint32Array(Math.min(count, size));
  let end = 0;
  for (let block = 0; end < docs.length; block++) {
    if (bitmap.counts[block] !== 0) end = listBlock(bitmap.bits, block * BLOCK_WORDS, block, 0, docs, end, docs.length);
  }
  return docs;
}

/**
 * Writes the documents of a block, after the first `skip`, to `into` from `start` on, and stops at `end`. The bits of the block begin at
 * `from`. Returns where the documents end.
 */
export function listBlock(
  bits: Uint32Array,
  from: number,
  block: number,
  skip: number,
  into: Uint32Array,
  start: number,
  end: number,
): number {
  let at = start;
  let skipped = 0;
  for (let word = 0; word < BLOCK_WORDS && at < end; word++) {
    let left = bits[from + word] as number;
    if (skipped < skip) {
      const here = popCount(left);
      if (here <= skip - skipped) {
        skipped += here;
        continue;
      }
      // `left & (left - 1)` clears the lowest bit that is set.
      for (; skipped < skip; skipped++) left &= left - 1;
    }
    const first = block * BLOCK_DOCS + word * 32;
    for (; left !== 0 && at < end; left &= left - 1) into[at++] = first + 31 - Math.clz32(left & -left);
  }
  return at;
}

/**
 * The stored sets of a finished index by their numbers, as views of the index's arrays. A view is created when its set is first
 * read, because an index may have tens of thousands of sets. `build/postings.ts` writes the sets.
 */
export function createSetReader(arrays: SetArrays, docCount: number): (number: number) => DocSet {
  const blocks = blocksFor(docCount);
  const chunks = chunksFor(docCount);
  const views: DocSet[] = [];
  const createView = (number: number): DocSet => {
    const size = arrays.setSizes[number] as number;
    const bitmap = arrays.setBitmap[number] as number;
    if (bitmap === 0) {
      const start = arrays.setDocsStarts[number] as number;
      if (isPacked(size, chunks)) return { size, packed: viewPacked(arrays.setDocs, start, size, chunks) };
      return toListSet(arrays.setDocs.subarray(start, start + size));
    }
    const at = (bitmap - 1) * blocks;
    return {
      size,
      bitmap: {
        bits: arrays.bits.subarray(at * BLOCK_WORDS, (at + blocks) * BLOCK_WORDS),
        counts: arrays.blockCounts.subarray(at, at + blocks),
      },
    };
  };
  return (number) => {
    views[number] ??= createView(number);
    return views[number];
  };
}

/**
 * A bitmap for collecting documents. It is allocated once and reused for every query: clearing touches only the blocks that
 * contain documents, so a small query on a large index does not pay for the whole bitmap.
 */
export class Marks implements Bitmap {
  readonly bits: Uint32Array;
  readonly counts: Uint32Array;
  size = 0;

  constructor(docCount: number) {
    this.counts = new Uint32Array(blocksFor(docCount));
    this.bits = new Uint32Array(this.counts.length * BLOCK_WORDS);
  }

  add(doc: number): void {
    const word = this.bits[doc >>> 5] as number;
    const bit = 1 << (doc & 31);
    if ((word & bit) !== 0) return;
    this.bits[doc >>> 5] = word | bit;
    const block = doc >>> BLOCK_SHIFT;
    this.counts[block] = (this.counts[block] as number) + 1;
    this.size++;
  }

  /** Repeats the code of `add` in one loop, because a broad query spends most of its time here. */
  addRange(docs: Uint32Array, from: number, to: number): void {
    const { bits, counts } = this;
    let added = 0;
    for (let at = from; at < to; at++) {
      const doc = docs[at] as number;
      const word = bits[doc >>> 5] as number;
      const bit = 1 << (doc & 31);
      if ((word & bit) !== 0) continue;
      bits[doc >>> 5] = word | bit;
      const block = doc >>> BLOCK_SHIFT;
      counts[block] = (counts[block] as number) + 1;
      added++;
    }
    this.size += added;
  }

  /** Adds the documents of the match that pass its check. */
  addMatch({ ranges, docs, check }: Match): void {
    for (let range = 0; range < ranges.length; range += 2) {
      const [from, to] = [ranges[range] as number, ranges[range + 1] as number];
      if (check === undefined) this.addRange(docs, from, to);
      else for (let at = from; at < to; at++) if (check(docs[at] as number)) this.add(docs[at] as number);
    }
  }

  addSet({ list, packed, bitmap, size }: DocSet): void {
    if (list !== undefined) this.addRange(list, 0, size);
    for (let at = 0; packed !== undefined && at < size; at += PIECE.length) {
      const count = Math.min(PIECE.length, size - at);
      this.addRange(readPacked(packed, at, PIECE.subarray(0, count)), 0, count);
    }
    if (bitmap === undefined) return;
    if (this.size === 0) {
      this.bits.set(bitmap.bits);
      this.counts.set(bitmap.counts);
      this.size = size;
    } else this.#unite(bitmap);
  }

  /** Keeps only the documents that are in the bitmap. */
  retain({ bits, counts }: Bitmap): void {
    this.size = 0;
    for (let block = 0; block < this.counts.length; block++) {
      if (this.counts[block] !== 0 && counts[block] !== BLOCK_DOCS) {
        this.counts[block] = retainBlock(bits, this.bits, block * BLOCK_WORDS);
      }
      this.size += this.counts[block] as number;
    }
  }

  #unite({ bits, counts }: Bitmap): void {
    this.size = 0;
    for (let block = 0; block < this.counts.length; block++) {
      if (counts[block] !== 0) this.counts[block] = uniteBlock(bits, this.bits, block * BLOCK_WORDS);
      this.size += this.counts[block] as number;
    }
  }

  clear(): void {
    for (let block = 0; block < this.counts.length; block++) {
      if (this.counts[block] === 0) continue;
      this.bits.fill(0, block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS);
      this.counts[block] = 0;
    }
    this.size = 0;
  }

  /** A copy that is independent of later changes of the marks. */
  toSet(): DocSet {
    if (!isDense(this.size, this.bits.length * 32)) return toListSet(takeDocs(this.asSet()));
    return { size: this.size, bitmap: { bits: this.bits.slice(), counts: this.counts.slice() } };
  }

  /** A view, valid until the marks change. */
  asSet(): DocSet {
    return { size: this.size, bitmap: this };
  }
}

/** Scratch memory that stays in the processor's cache. */
const PIECE = new Uint32Array(4_096);

// These functions contain only a loop, so that V8 compiles them to a few instructions per word.

function retainBlock(a: Uint32Array, into: Uint32Array, from: number): number {
  for (let word = from; word < from + BLOCK_WORDS; word++) into[word] = (a[word] as number) & (into[word] as number);
  return countBlockBits(into, from);
}

function uniteBlock(a: Uint32Array, into: Uint32Array, from: number): number {
  for (let word = from; word < from + BLOCK_WORDS; word++) into[word] = (a[word] as number) | (into[word] as number);
  return countBlockBits(into, from);
}
