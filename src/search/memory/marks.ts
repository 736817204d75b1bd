import {
  type Bitmap,
  BLOCK_DOCS,
  BLOCK_SHIFT,
  BLOCK_WORDS,
  blocksFor,
  countBlockBits,
  type DocSet,
  isDense,
  takeDocs,
} from './sets.ts';

/**
 * A bitmap to collect documents in. It is allocated once and reused for every query: clearing touches only the blocks
 * that have documents, so a small query on a large index does not pay for the whole bitmap.
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

  /** Repeats the code of `add` in one loop: a broad query spends most of its time here. */
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

  addSet({ list, bitmap, size }: DocSet): void {
    if (list !== undefined) this.addRange(list, 0, size);
    if (bitmap === undefined) return;
    if (this.size === 0) {
      this.bits.set(bitmap.bits);
      this.counts.set(bitmap.counts);
      this.size = size;
    } else this.#unite(bitmap);
  }

  /** Removes the documents that are not in all of the bitmaps. One pass: a block stays in the processor's cache. */
  retain(bitmaps: readonly Bitmap[]): void {
    if (this.size === 0) return;
    this.size = 0;
    for (let block = 0; block < this.counts.length; block++) {
      let count = this.counts[block] as number;
      for (let at = 0; at < bitmaps.length && count > 0; at++) {
        const { bits, counts } = bitmaps[at] as Bitmap;
        // A full block removes nothing. In the bitmap of the documents that are not hidden, most blocks may be full.
        if (counts[block] === BLOCK_DOCS) continue;
        count = counts[block] === 0 ? this.#clearBlock(block) : retainBlock(bits, this.bits, block * BLOCK_WORDS);
      }
      this.counts[block] = count;
      this.size += count;
    }
  }

  #unite({ bits, counts }: Bitmap): void {
    this.size = 0;
    for (let block = 0; block < this.counts.length; block++) {
      if (counts[block] !== 0) this.counts[block] = uniteBlock(bits, this.bits, block * BLOCK_WORDS);
      this.size += this.counts[block] as number;
    }
  }

  #clearBlock(block: number): number {
    if (this.counts[block] !== 0) this.bits.fill(0, block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS);
    return 0;
  }

  clear(): void {
    for (let block = 0; block < this.counts.length; block++) {
      this.counts[block] = this.#clearBlock(block);
    }
    this.size = 0;
  }

  /** A copy that later changes of the marks do not affect. */
  toSet(): DocSet {
    if (!isDense(this.size, this.bits.length * 32))
      return { size: this.size, list: takeDocs(this.asSet(), 0, this.size) };
    return { size: this.size, bitmap: { bits: this.bits.slice(), counts: this.counts.slice() } };
  }

  /** A view, valid until the marks change. */
  asSet(): DocSet {
    return { size: this.size, bitmap: this };
  }
}

// Separate functions with nothing but a loop, which V8 compiles to a few instructions per word.

function retainBlock(a: Uint32Array, into: Uint32Array, from: number): number {
  for (let word = from; word < from + BLOCK_WORDS; word++) into[word] = (a[word] as number) & (into[word] as number);
  return countBlockBits(into, from);
}

function uniteBlock(a: Uint32Array, into: Uint32Array, from: number): number {
  for (let word = from; word < from + BLOCK_WORDS; word++) into[word] = (a[word] as number) | (into[word] as number);
  return countBlockBits(into, from);
}
