import { type AliasKind, aliasKinds } from '../search-index.ts';
import type { Offsets } from '../shared-arrays.ts';
import type { WordArrays } from './broad.ts';
import type { BroadWord } from './broad-words.ts';
import { findBroadWords } from './broad-words.ts';
import { ByteTable } from './byte-table.ts';
import type { Chunk } from './chunk.ts';
import { GrowingNumbers } from './growing-arrays.ts';
import { invert, withoutGroups } from './postings.ts';
import { sortSuffixes, sortVocabulary } from './suffixes.ts';

const SPACE = 0x20;

/** The words of one kind of names, for the documents that have such names, in document order. */
class AliasRows {
  readonly #table = new ByteTable();
  readonly #docs = new GrowingNumbers();
  readonly #words = new GrowingNumbers();
  readonly #starts = new GrowingNumbers();

  /** Adds the words at `start`: separated by spaces, with a zero byte after the last word. Returns where the next text starts. */
  add(chunk: Chunk, start: number, doc: number): number {
    let at = start;
    if (chunk.bytes[at] === 0) return at + 1;
    this.#docs.push(doc);
    this.#starts.push(this.#words.length);
    while (chunk.bytes[at] !== 0) {
      this.#words.push(this.#table.add(chunk, at, SPACE));
      at = this.#table.ended;
      if (chunk.bytes[at] === SPACE) at++;
    }
    return at + 1;
  }

  layOut(docCount: number, threshold: number): AliasWordArrays {
    this.#starts.push(this.#words.length);
    const { vocabulary, ranks } = sortVocabulary(this.#table);
    const groups = this.#words.values.subarray(0, this.#words.length).map((word) => ranks[word] as number);
    const starts = this.#starts.values.subarray(0, this.#starts.length);
    const postings = invert({ groups, starts }, ranks.length);
    for (const [at, list] of postings.docs.entries()) postings.docs[at] = this.#docs.values[list] as number;
    const words = { vocabularyText: vocabulary.text, vocabularyStarts: vocabulary.starts, ...sortSuffixes(vocabulary) };
    const toArrays = ({ docs, starts }: { docs: Uint32Array<SharedArrayBuffer>; starts: Offsets }) => {
      return { ...words, wordDocs: docs, wordDocsStarts: starts };
    };
    const broad = findBroadWords(toArrays(postings), docCount, threshold);
    // A word with more documents is a broad fragment, so its own list is never read: see `build.ts`.
    return { arrays: toArrays(withoutGroups(postings, (_word, length) => length > threshold)), broad };
  }
}

interface AliasWordArrays {
  readonly arrays: WordArrays;
  readonly broad: ReadonlyMap<string, BroadWord>;
}

export type Aliases = Readonly<Record<AliasKind, AliasWordArrays>>;

export function createAliasRows() {
  const rows = aliasKinds.map((kind) => [kind, new AliasRows()] as const);
  return {
    /** Adds the words of all kinds, in the order of `aliasKinds`. */
    add: (chunk: Chunk, start: number, doc: number) => rows.reduce((at, [, one]) => one.add(chunk, at, doc), start),
    layOut: (docCount: number, threshold: number) =>
      Object.fromEntries(rows.map(([kind, one]) => [kind, one.layOut(docCount, threshold)])) as unknown as Aliases,
  };
}
