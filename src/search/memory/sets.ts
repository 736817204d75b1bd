import type { IndexArrays } from './search-index.ts';

/**
 * Sets of documents and what can be done with them: a sorted list where they are few, a bitmap where they are many. A
 * document's number is its place in the results, so a page is a slice of a list, or a few bits of a bitmap found by the
 * counts of its blocks.
 */
export interface DocSet {
  readonly size: number;
  readonly list?: Uint32Array;
  readonly bitmap?: Bitmap;
}

export interface Bitmap {
  readonly bits: Uint32Array;
  /** Documents in each block of the bitmap. */
  readonly counts: Uint32Array;
}

/** 4 096 documents a block: few enough blocks to add up their counts, few enough words to look through one. */
export const BLOCK_SHIFT = 12;
export const BLOCK_WORDS = 1 << (BLOCK_SHIFT - 5);

export function blocksFor(docCount: number): number {
  return Math.ceil(docCount / (1 << BLOCK_SHIFT));
}

/** From this size a bitmap takes less room than a list. */
export function isDense(size: number, docCount: number): boolean {
  return size * 32 > docCount;
}

export function has({ bits }: Bitmap, doc: number): boolean {
  return (((bits[doc >>> 5] as number) >>> (doc & 31)) & 1) === 1;
}

export function popCount(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Up to `count` documents of the set, from the place `from` on. */
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
        for (; skip > 0; skip--) left &= left - 1;
      }
      for (; left !== 0 && found < wanted; left &= left - 1) docs[found++] = word * 32 + 31 - Math.clz32(left & -left);
    }
  }
  return docs;
}

export type SetArrays = Pick<
  IndexArrays,
  'setSizes' | 'setDocs' | 'setDocsStarts' | 'setBitmap' | 'bits' | 'blockCounts'
>;

/** The stored sets of a finished index, as views of its arrays. */
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
