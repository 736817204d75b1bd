import { Marks } from '../marks.ts';
import type { SetArrays } from '../search-index.ts';
import { BLOCK_WORDS, blocksFor, type DocSet, has, isDense } from '../sets.ts';
import { sharedNumbers, sharedOffsets, shareNumbers } from '../shared-arrays.ts';
import type { Postings } from './postings.ts';

/** Collects the sets that an index stores and writes them into its arrays, from which `readSets` reads them. */
export class SetStore {
  readonly #docCount: number;
  readonly #marks: Marks;
  readonly #sets: DocSet[] = [];
  readonly #numbers = new Map<DocSet, number>();
  readonly #byHash = new Map<string, DocSet[]>();

  constructor(docCount: number) {
    this.#docCount = docCount;
    this.#marks = new Marks(docCount);
  }

  /** Returns the number of the set; the same object always has the same number. */
  add(set: DocSet): number {
    const known = this.#numbers.get(set);
    if (known !== undefined) return known;
    this.#numbers.set(set, this.#sets.length);
    return this.#sets.push(set) - 1;
  }

  addAll(sets: Iterable<DocSet>): number[] {
    return Array.from(sets, (set) => this.add(set));
  }

  /**
   * Adds one set per group. Groups with the same documents, such as the code and the label of an activity or a country
   * and its register, share a set; they are found by a hash of their documents.
   */
  addGroups({ starts, docs }: Postings): number[] {
    return Array.from({ length: starts.length - 1 }, (_, group) => {
      const list = docs.subarray(starts[group], starts[group + 1]);
      let hash = 0;
      for (let index = 0; index < list.length; index++) hash = (Math.imul(hash, 31) + (list[index] as number)) | 0;
      const key = `${list.length} ${hash}`;
      const alike = this.#byHash.get(key) ?? [];
      this.#byHash.set(key, alike);
      const set = alike.find((candidate) => equals(candidate, list)) ?? this.#toSet(list);
      if (!alike.includes(set)) alike.push(set);
      return this.add(set);
    });
  }

  #toSet(list: Uint32Array): DocSet {
    if (!isDense(list.length, this.#docCount)) return { size: list.length, list };
    this.#marks.addRange(list, 0, list.length);
    const set = this.#marks.toSet();
    this.#marks.clear();
    return set;
  }

  toArrays(): SetArrays {
    const blocks = blocksFor(this.#docCount);
    const bitmaps = this.#sets.flatMap(({ bitmap }) => bitmap ?? []);
    const setBitmap = sharedNumbers(this.#sets.length);
    const docTotal = this.#sets.reduce((sum, { list }) => sum + (list?.length ?? 0), 0);
    const setDocsStarts = sharedOffsets(this.#sets.length + 1, docTotal);
    const bits = sharedNumbers(bitmaps.length * blocks * BLOCK_WORDS);
    const blockCounts = sharedNumbers(bitmaps.length * blocks);
    for (const [number, bitmap] of bitmaps.entries()) {
      bits.set(bitmap.bits, number * blocks * BLOCK_WORDS);
      blockCounts.set(bitmap.counts, number * blocks);
    }
    let bitmapCount = 0;
    for (const [number, { list, bitmap }] of this.#sets.entries()) {
      if (bitmap !== undefined) setBitmap[number] = ++bitmapCount;
      setDocsStarts[number + 1] = (setDocsStarts[number] as number) + (list?.length ?? 0);
    }
    const setDocs = sharedNumbers(docTotal);
    for (const [number, { list }] of this.#sets.entries()) if (list) setDocs.set(list, setDocsStarts[number]);
    const setSizes = shareNumbers(Uint32Array.from(this.#sets, ({ size }) => size));
    return { setSizes, setDocs, setDocsStarts, setBitmap, bits, blockCounts };
  }
}

/** The set has as many documents. */
function equals({ list, bitmap }: DocSet, docs: Uint32Array): boolean {
  if (list !== undefined) return list.every((doc, index) => doc === docs[index]);
  // The sizes are equal, so the sets are equal if the bitmap has every document of the list.
  return bitmap !== undefined && docs.every((doc) => has(bitmap, doc));
}
