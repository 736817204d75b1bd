import type { LiveDocs } from '../overlay.ts';
import type { Bitmap, DocSet } from '../sets.ts';
import { countBlock, countCommon } from './count-common.ts';
import { AllHits, BitmapHits, type Hits, ListHits, LiveListHits } from './hits.ts';

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
    this.live = live?.size === docCount ? undefined : live;
    this.all = this.live === undefined ? new AllHits(docCount) : hitsOf({ size: this.live.size, bitmap: this.live });
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

/** A stored set without hidden documents. */
function hitsOf({ size, list, bitmap }: DocSet): Hits {
  if (list !== undefined) return new ListHits(list);
  const { bits, counts } = bitmap as Bitmap;
  return new BitmapHits(size, [bits], counts);
}
