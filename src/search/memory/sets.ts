import type { SetArrays } from './search-index.ts';

/**
 * Sets of documents: a sorted list when they are few, a bitmap when they are many. Documents are numbered in result
 * order, so a page is a slice of a list, or a few bits of a bitmap that are found through the counts of its blocks.
 */
export interface DocSet {
  readonly size: number;
  readonly list?: Uint32Array;
  readonly bitmap?: Bitmap;
}

export interface Bitmap {
  readonly bits: Uint32Array;
  /** How many documents each block of the bitmap has. */
  readonly counts: Uint32Array;
}

/**
 * 4,096 documents per block. Finding a page adds up the counts of the blocks before it (1,221 at 5 million documents),
 * then looks through the 128 words of one block.
 */
export const BLOCK_SHIFT = 12;
export const BLOCK_WORDS = 1 << (BLOCK_SHIFT - 5);

export function blocksFor(docCount: number): number {
  return Math.ceil(docCount / (1 << BLOCK_SHIFT));
}

/** From this size on a bitmap, one bit per document, takes less memory than a list of 32-bit numbers. */
export function isDense(size: number, docCount: number): boolean {
  return size * 32 > docCount;
}

export function has({ bits }: Bitmap, doc: number): boolean {
  return (((bits[doc >>> 5] as number) >>> (doc & 31)) & 1) === 1;
}

/**
 * The number of one bits in a 32-bit word, counted in parallel: pairs, nibbles, bytes, then the sum of the four bytes.
 */
export function popCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Up to `count` documents of the set, after skipping `from`. */
export function takeDocs({ size, list, bitmap }: DocSet, from: number, count: number): Uint32Array {
  if (from >= size) return new Uint32Array(0);
  const wanted = Math.min(count, size - from);
  if (list !== undefined) return list.subarray(from, from + wanted);
  const docs = new Uint32Array(wanted);
  if (bitmap === undefined) return docs;
  const { bits, counts } = bitmap;
  let block = 0;
  let skip = from;
  while (skip >= (counts[block] as number)) skip -= counts[block++] as number;
  let found = 0;
  for (; found < wanted; block++) {
    if (counts[block] === 0) continue;
    for (let word = block * BLOCK_WORDS; word < (block + 1) * BLOCK_WORDS && found < wanted; word++) {
      let left = bits[word] as number;
      if (skip > 0) {
        const here = popCount(left);
        if (here <= skip) {
          skip -= here;
          continue;
        }
        // `left & (left - 1)` clears the lowest one bit.
        for (; skip > 0; skip--) left &= left - 1;
      }
      for (; left !== 0 && found < wanted; left &= left - 1) docs[found++] = word * 32 + 31 - Math.clz32(left & -left);
    }
  }
  return docs;
}

/** The stored sets of a finished index, as views of its arrays. `build/set-store.ts` writes them. */
export function readSets(arrays: SetArrays, docCount: number): DocSet[] {
  const blocks = blocksFor(docCount);
  return Array.from(arrays.setSizes, (size, number) => {
    const bitmap = arrays.setBitmap[number] as number;
    if (bitmap === 0) {
      return { size, list: arrays.setDocs.subarray(arrays.setDocsStarts[number], arrays.setDocsStarts[number + 1]) };
    }
    const at = (bitmap - 1) * blocks;
    return {
      size,
      bitmap: {
        bits: arrays.bits.subarray(at * BLOCK_WORDS, (at + blocks) * BLOCK_WORDS),
        counts: arrays.blockCounts.subarray(at, at + blocks),
      },
    };
  });
}
