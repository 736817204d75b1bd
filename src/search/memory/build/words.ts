import { type Offsets, sharedNumbers, sharedOffsets } from '../shared-arrays.ts';
import type { OffsetArray } from './growing-arrays.ts';

/** The words of each document. */
export interface DocumentWords {
  readonly groups: Uint32Array<SharedArrayBuffer>;
  readonly starts: Offsets;
}

/** Copies the words of each row to its place in the order. */
export function reorderWords(words: Uint32Array, starts: OffsetArray, order: Uint32Array): DocumentWords {
  const groups = sharedNumbers(starts[order.length] as number);
  const orderedStarts = sharedOffsets(order.length + 1, groups.length);
  let at = 0;
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const end = starts[row + 1] as number;
    for (let from = starts[row] as number; from < end; from++) groups[at++] = words[from] as number;
    orderedStarts[doc + 1] = at;
  }
  return { groups, starts: orderedStarts };
}
