import type { LiveDocs } from '../overlay.ts';
import { findInPacked, readPacked } from '../packed-lists.ts';
import {
  BLOCK_DOCS,
  BLOCK_SHIFT,
  BLOCK_WORDS,
  type DocSet,
  has,
  listBlock,
  Marks,
  NO_DOCS,
  popCount,
  takeDocs,
  toListSet,
} from '../sets.ts';
import { type Condition, countBlock, listBeside, loadBlock, mainOf, onlySetOf } from './blocks.ts';
import { firstNotBelow } from './words.ts';

/**
 * The documents of one index that a query found, in result order. Any part of the documents can be read without listing the
 * others. Hits may be in scratch memory, and are then valid until the next query: `keep` returns hits that stay valid.
 */
export interface Hits {
  readonly size: number;
  /** The condition that exactly these documents meet; empty for all documents. */
  readonly all: Condition;
  /** The number of these documents with a number lower than `doc`. */
  countBefore(doc: number): number;
  /** Fills `into` with the documents after the first `from`, as far as there are documents. Returns the number of written documents. */
  read(from: number, into: Uint32Array): number;
  /** Returns hits that later queries do not overwrite. */
  keep(): Hits;
}

function countRead({ size }: Hits, from: number, into: Uint32Array): number {
  return Math.max(0, Math.min(into.length, size - from));
}

/** All documents of an index. */
class AllHits implements Hits {
  readonly size: number;
  readonly all: Condition = [];

  constructor(size: number) {
    this.size = size;
  }

  countBefore(doc: number): number {
    return Math.min(doc, this.size);
  }

  read(from: number, into: Uint32Array): number {
    const count = countRead(this, from, into);
    for (let at = 0; at < count; at++) into[at] = from + at;
    return count;
  }

  keep(): Hits {
    return this;
  }
}

/** Hits as a sorted list, which may be packed. */
export class ListHits implements Hits {
  readonly size: number;
  readonly all: Condition;
  readonly #set: DocSet;
  readonly #isScratch: boolean;

  constructor(set: DocSet, isScratch = false) {
    this.size = set.size;
    this.all = [[set]];
    this.#set = set;
    this.#isScratch = isScratch;
  }

  countBefore(doc: number): number {
    const { list, packed } = this.#set;
    if (packed !== undefined) return findInPacked(packed, doc);
    return firstNotBelow(this.size, (at) => (list?.[at] as number) < doc);
  }

  read(from: number, into: Uint32Array): number {
    const { list, packed } = this.#set;
    const count = countRead(this, from, into);
    if (packed !== undefined) readPacked(packed, from, into.subarray(0, count));
    else for (let at = 0; at < count; at++) into[at] = list?.[from + at] as number;
    return count;
  }

  keep(): Hits {
    return this.#isScratch ? new ListHits(toListSet((this.#set.list as Uint32Array).slice())) : this;
  }
}

export const NO_HITS: Hits = new ListHits(NO_DOCS);

/** The documents that meet a condition. Only their number in each block is computed. */
export class BlockHits implements Hits {
  readonly size: number;
  readonly all: Condition;
  /** Reads the number of documents in each block. */
  readonly #readCounts: () => Uint32Array;
  /** The bits of the bitmap if the condition consists of one bitmap. */
  readonly #bits: Uint32Array | undefined;

  constructor(all: Condition, size: number, readCounts: () => Uint32Array) {
    this.all = all;
    this.#bits = onlySetOf(all)?.bitmap?.bits;
    this.size = size;
    this.#readCounts = readCounts;
  }

  static count(all: Condition, blocks: number): BlockHits {
    const counts = countBlocks(all, blocks);
    let size = 0;
    for (let block = 0; block < blocks; block++) size += counts[block] as number;
    return new BlockHits(all, size, () => counts);
  }

  countBefore(doc: number): number {
    const last = Math.floor(doc / BLOCK_DOCS);
    const counts = this.#readCounts();
    if (last >= counts.length) return this.size;
    let count = 0;
    for (let block = 0; block < last; block++) count += counts[block] as number;
    if (counts[last] === 0) return count;
    loadBlock(this.all, last, loaded);
    const end = (doc >>> 5) & (BLOCK_WORDS - 1);
    for (let word = 0; word < end; word++) count += popCount(loaded[word] as number);
    return count + popCount((loaded[end] as number) & ((1 << (doc & 31)) - 1));
  }

  read(from: number, into: Uint32Array): number {
    const wanted = countRead(this, from, into);
    const counts = this.#readCounts();
    let block = 0;
    let skip = from;
    if (wanted > 0) while (skip >= (counts[block] as number)) skip -= counts[block++] as number;
    for (let found = 0; found < wanted; block++, skip = 0) {
      if (counts[block] === 0) continue;
      if (this.#bits === undefined) loadBlock(this.all, block, loaded);
      const [bits, start] = this.#bits === undefined ? [loaded, 0] : [this.#bits, block * BLOCK_WORDS];
      found = listBlock(bits, start, block, skip, into, found, wanted);
    }
    return wanted;
  }

  keep(): Hits {
    if (!this.all.some((any) => any.some(isMarked))) return this;
    const kept = this.all.map((any) => any.map((set) => (isMarked(set) ? (set.bitmap as Marks).toSet() : set)));
    const only = onlySetOf(kept);
    return only === undefined ? new BlockHits(kept, this.size, this.#readCounts) : hitsOf(only);
  }
}

/** Counts the documents of each block that meet the condition. */
export function countBlocks(all: Condition, blocks: number): Uint32Array {
  const counts = new Uint32Array(blocks);
  const mains = all.map(mainOf);
  for (let block = 0; block < blocks; block++) counts[block] = countBlock(mains, block);
  for (const doc of listBeside(all)) {
    const block = doc >>> BLOCK_SHIFT;
    counts[block] = (counts[block] as number) + 1;
  }
  return counts;
}

const loaded = new Uint32Array(BLOCK_WORDS);

/** Whether the documents are in marks, which a later query overwrites. */
function isMarked({ bitmap }: DocSet): boolean {
  return bitmap instanceof Marks;
}

/**
 * The live documents of an index and of each of its stored sets. If documents are hidden, the live documents of a set are
 * counted when first needed; the counts take four bytes per 4,096 documents of the index, or less.
 */
export class LiveSets {
  /** Undefined if no document is hidden. */
  readonly live: LiveDocs | undefined;
  /** The condition that a document is not hidden. */
  readonly condition: Condition;
  readonly all: Hits;
  readonly #counted = new WeakMap<DocSet, Hits>();

  constructor(docCount: number, live: LiveDocs | undefined) {
    const shown = live && { size: live.size, bitmap: live };
    this.live = live;
    this.condition = shown === undefined ? [] : [[shown]];
    this.all = shown === undefined ? new AllHits(docCount) : hitsOf(shown);
  }

  of(set: DocSet): Hits {
    return this.#counted.getOrInsertComputed(set, () => (this.live === undefined ? hitsOf(set) : this.#count(set)));
  }

  #count(set: DocSet): Hits {
    const blocks = (this.live as LiveDocs).counts.length;
    // A short list takes less memory than the counts of all blocks.
    if (set.size > blocks) return BlockHits.count([[set], ...this.condition], blocks);
    return new ListHits(toListSet(takeDocs(set).filter((doc) => has(this.live as LiveDocs, doc))));
  }
}

/** Turns a set that has no hidden documents into hits. */
export function hitsOf(set: DocSet): Hits {
  const { size, bitmap } = set;
  if (bitmap === undefined) return new ListHits(set);
  return new BlockHits([[set]], size, () => bitmap.counts);
}
