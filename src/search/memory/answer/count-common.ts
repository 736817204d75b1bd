import { type Bitmap, BLOCK_DOCS, BLOCK_WORDS, countBlockBits } from '../sets.ts';

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

export function countBlock(bitmaps: readonly Bitmap[], block: number): number {
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
