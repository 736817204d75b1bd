import { chunksFor, storedLength, storeList } from '../packed-lists.ts';
import type { MatchArrays, SetArrays } from '../search-index.ts';
import { type Bitmap, BLOCK_WORDS, blocksFor, type DocSet, isDense, Marks, toListSet } from '../sets.ts';
import { type Offsets, sharedNumbers, sharedOffsets, shareNumbers } from '../shared-arrays.ts';
import { countUp } from './growing-arrays.ts';

/** The documents of every group (a word, a group of a bridge, a gram, an activity), ascending and distinct. */
interface Postings {
  readonly starts: Offsets;
  readonly docs: Uint32Array<SharedArrayBuffer>;
}

/** Lists of groups, one per row: `starts` has the position where each list starts and, at the end, where the last list ends. */
interface GroupLists {
  readonly groups: Uint32Array;
  readonly starts: Uint32Array | Offsets;
}

/**
 * Turns lists of groups per document into lists of documents per group. The first pass counts, so that each list gets
 * its exact room; the second pass fills. With `rows`, the given lists are per row, and `rows` has the row of each document.
 */
export function invert({ groups, starts: listStarts }: GroupLists, groupCount: number, rows?: Uint32Array): Postings {
  const listCount = listStarts.length - 1;
  const lengths = new Uint32Array(groupCount);
  // The latest list of each group, so that a group that occurs several times in one list counts once.
  const latest = new Uint32Array(groupCount).fill(NONE);
  for (let list = 0; list < listCount; list++) {
    const end = listStarts[list + 1] as number;
    for (let at = listStarts[list] as number; at < end; at++) {
      const group = groups[at] as number;
      if (latest[group] === list) continue;
      latest[group] = list;
      lengths[group] = (lengths[group] as number) + 1;
    }
  }
  const starts = addUp(lengths);
  const docs = sharedNumbers(starts[groupCount] as number);
  const next = starts.slice(0, groupCount);
  latest.fill(NONE);
  for (let doc = 0; doc < listCount; doc++) {
    const list = rows === undefined ? doc : (rows[doc] as number);
    const end = listStarts[list + 1] as number;
    for (let at = listStarts[list] as number; at < end; at++) {
      const group = groups[at] as number;
      if (latest[group] === doc) continue;
      latest[group] = doc;
      const place = next[group] as number;
      next[group] = place + 1;
      docs[place] = doc;
    }
  }
  return { starts, docs };
}

const NONE = 0xffffffff;

/** Turns the lengths of lists into the start of each list and, as the last entry, the end of the last list. */
export function addUp(lengths: Uint32Array): Offsets {
  let total = 0;
  for (let group = 0; group < lengths.length; group++) total += lengths[group] as number;
  const starts = sharedOffsets(lengths.length + 1, total);
  for (let group = 0; group < lengths.length; group++) {
    starts[group + 1] = (starts[group] as number) + (lengths[group] as number);
  }
  return starts;
}

type WordDocs = Pick<MatchArrays, 'wordDocs' | 'wordDocsStarts'>;

export function toWordDocs({ docs, starts }: Postings): WordDocs {
  return { wordDocs: docs, wordDocsStarts: starts };
}

/** Copies the documents of words, with empty lists for the words that have more documents than `most`. */
export function withoutLong({ wordDocsStarts: starts, wordDocs: docs }: WordDocs, most: number): WordDocs {
  const lengths = Uint32Array.from({ length: starts.length - 1 }, (_, word) => {
    const length = (starts[word + 1] as number) - (starts[word] as number);
    return length > most ? 0 : length;
  });
  const kept = addUp(lengths);
  const keptDocs = sharedNumbers(kept[lengths.length] as number);
  for (const [word, length] of lengths.entries()) {
    const [at, from] = [kept[word] as number, starts[word] as number];
    for (let index = 0; index < length; index++) keptDocs[at + index] = docs[from + index] as number;
  }
  return toWordDocs({ starts: kept, docs: keptDocs });
}

/** Collects the sets that an index stores and writes the sets to its arrays, from which `createSetReader` reads. */
export class SetStore {
  readonly #docCount: number;
  readonly #marks: Marks;
  readonly #sets: DocSet[] = [];
  /** The numbers of sets with an equal hash. */
  readonly #numbers = new Map<string, number[]>();

  constructor(docCount: number) {
    this.#docCount = docCount;
    this.#marks = new Marks(docCount);
  }

  /**
   * Returns the number of the set. Equal sets are stored once: those of the code and the label of an activity, of a country and its
   * register, or of the parts of a frequent word.
   */
  #add(set: DocSet): number {
    const alike = this.#numbers.getOrInsertComputed(`${set.size} ${hashSet(set)}`, () => []);
    const known = alike.find((number) => equals(this.#sets[number] as DocSet, set));
    if (known !== undefined) return known;
    const number = this.#sets.push(set) - 1;
    alike.push(number);
    return number;
  }

  addAll(sets: Iterable<DocSet>): Uint32Array<SharedArrayBuffer> {
    return shareNumbers(Uint32Array.from(Array.from(sets, (set) => this.#add(set))));
  }

  /** Adds one set per group, without the groups before `first`. */
  addGroups({ starts, docs }: Postings, first = 0): Uint32Array<SharedArrayBuffer> {
    const groups = countUp(starts.length - 1 - first).values();
    return this.addAll(groups.map((at) => this.#toSet(docs.subarray(starts[first + at], starts[first + at + 1]))));
  }

  #toSet(list: Uint32Array): DocSet {
    if (!isDense(list.length, this.#docCount)) return toListSet(list);
    this.#marks.addRange(list, 0, list.length);
    const set = this.#marks.toSet();
    this.#marks.clear();
    return set;
  }

  toArrays(): SetArrays {
    const blocks = blocksFor(this.#docCount);
    const bitmaps = this.#sets.flatMap(({ bitmap }) => bitmap ?? []);
    const chunks = chunksFor(this.#docCount);
    const setBitmap = sharedNumbers(this.#sets.length);
    const setDocsStarts = addUp(
      Uint32Array.from(this.#sets, ({ list }) => (list ? storedLength(list.length, chunks) : 0)),
    );
    const bits = sharedNumbers(bitmaps.length * blocks * BLOCK_WORDS);
    const blockCounts = sharedNumbers(bitmaps.length * blocks);
    for (const [number, bitmap] of bitmaps.entries()) {
      bits.set(bitmap.bits, number * blocks * BLOCK_WORDS);
      blockCounts.set(bitmap.counts, number * blocks);
    }
    const setDocs = sharedNumbers(setDocsStarts[this.#sets.length] as number);
    let bitmapCount = 0;
    for (const [number, { list, bitmap }] of this.#sets.entries()) {
      if (bitmap !== undefined) setBitmap[number] = ++bitmapCount;
      if (list !== undefined) storeList(list, setDocs, setDocsStarts[number] as number, chunks);
    }
    const setSizes = shareNumbers(Uint32Array.from(this.#sets, ({ size }) => size));
    return { setSizes, setDocs, setDocsStarts, setBitmap, bits, blockCounts };
  }
}

function numbersOf({ list, bitmap }: DocSet): Uint32Array {
  return list ?? (bitmap as Bitmap).bits;
}

function hashSet(set: DocSet): number {
  const numbers = numbersOf(set);
  let hash = 0;
  for (let at = 0; at < numbers.length; at++) hash = (Math.imul(hash, 31) + (numbers[at] as number)) | 0;
  return hash;
}

function equals(a: DocSet, b: DocSet): boolean {
  const [ours, theirs] = [numbersOf(a), numbersOf(b)];
  return ours.length === theirs.length && ours.every((number, at) => number === theirs[at]);
}
