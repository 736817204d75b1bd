import type { LiveDocs } from '../overlay.ts';
import { BLOCK_SHIFT, BLOCK_WORDS, blocksFor, has } from '../sets.ts';
import { sharedNumbers } from '../shared-arrays.ts';

/** All documents of an index. */
export function showAll(docCount: number): LiveDocs {
  const counts = sharedNumbers(blocksFor(docCount));
  const bits = sharedNumbers(counts.length * BLOCK_WORDS);
  bits.fill(0xffffffff, 0, docCount >>> 5);
  // A shift by 32 would be a shift by 0, so the last, incomplete word is written only if there is one.
  if ((docCount & 31) !== 0) bits[docCount >>> 5] = (1 << (docCount & 31)) - 1;
  counts.fill(1 << BLOCK_SHIFT);
  const full = docCount >>> BLOCK_SHIFT;
  if (full < counts.length) counts[full] = docCount - full * (1 << BLOCK_SHIFT);
  return { size: docCount, bits, counts };
}

/** A copy in which these documents are hidden, too. Queries may be reading the original, so it does not change. */
export function hide(live: LiveDocs, docs: Iterable<number>): LiveDocs {
  const bits = sharedNumbers(live.bits.length);
  const counts = sharedNumbers(live.counts.length);
  bits.set(live.bits);
  counts.set(live.counts);
  let { size } = live;
  for (const doc of docs) {
    if (!has({ bits, counts }, doc)) continue;
    bits[doc >>> 5] = (bits[doc >>> 5] as number) & ~(1 << (doc & 31));
    const block = doc >>> BLOCK_SHIFT;
    counts[block] = (counts[block] as number) - 1;
    size--;
  }
  return { size, bits, counts };
}
