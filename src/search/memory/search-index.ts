import type { Narrow } from './shared-arrays.ts';

/**
 * What an index consists of: flat arrays on shared memory, so that a thread builds it, other threads ask it, and a file
 * holds it as it is, plus a few lists of texts. Documents are numbered in result order. Never changed once built.
 */
export interface SearchIndex {
  /** Which data it was built from: see `describeVersion`. */
  readonly version: string;
  readonly entities: number;
  readonly texts: IndexTexts;
  readonly arrays: IndexArrays;
  /** Of all arrays together. */
  readonly bytes: number;
}

export interface IndexTexts {
  /** The values of each column by the numbers that stand in it; null where there is none. */
  readonly columns: Readonly<Record<ColumnName, readonly (string | null)[]>>;
  /** Keys as `activityKey` makes them; `activitySet` has a set for each. */
  readonly activities: readonly string[];
  /** First two characters of words, sorted; and last two, sorted backwards. See `bridges.ts`. */
  readonly heads: readonly string[];
  readonly tails: readonly string[];
  /** Fragments whose documents are stored; `broadSet` and `broadNumberSet` have a set for each. See `broad.ts`. */
  readonly broad: readonly string[];
  readonly broadNumbers: readonly string[];
}

/** Columns with few distinct values, of which each row holds the number. */
export const columnNames = ['country', 'status', 'legalForm', 'registeredAt', 'updatedAt'] as const;
export type ColumnName = (typeof columnNames)[number];

type Bytes = Uint8Array<SharedArrayBuffer>;
type Numbers = Uint32Array<SharedArrayBuffer>;

/** `…Starts` have one entry more than what they are of: the end of the last. */
export interface IndexArrays {
  // What a reply is written from.
  readonly ids: Bytes;
  /** Names as the inside of a JSON string, in UTF-8. */
  readonly nameText: Bytes;
  readonly nameStarts: Numbers;
  readonly country: Narrow;
  readonly status: Narrow;
  readonly legalForm: Narrow;
  readonly registeredAt: Narrow;
  readonly updatedAt: Narrow;

  // Names: the vocabulary with its suffixes, the words of each document, the documents of each word.
  readonly vocabularyText: Bytes;
  readonly vocabularyStarts: Numbers;
  readonly suffixWord: Numbers;
  readonly suffixOffset: Narrow;
  readonly words: Numbers;
  readonly wordsStarts: Numbers;
  readonly wordDocs: Numbers;
  readonly wordDocsStarts: Numbers;

  // Where one word ends and the next begins: see `bridges.ts`.
  readonly bridgeTails: Numbers;
  readonly bridgeTailsStarts: Numbers;
  readonly bridgeGroups: Numbers;
  readonly pairLeft: Numbers;
  readonly pairRight: Numbers;
  readonly bridgeDocs: Numbers;
  readonly bridgeDocsStarts: Numbers;

  // Numbers: their text, and the documents of every four bytes in it.
  readonly numberText: Bytes;
  readonly numberStarts: Numbers;
  readonly grams: Numbers;
  readonly gramDocs: Numbers;
  readonly gramDocsStarts: Numbers;

  // Stored sets: the list of each, or, where that is empty, its bitmap (number plus one in `setBitmap`).
  readonly setSizes: Numbers;
  readonly setDocs: Numbers;
  readonly setDocsStarts: Numbers;
  readonly setBitmap: Numbers;
  readonly bits: Numbers;
  readonly blockCounts: Numbers;
  readonly countrySet: Numbers;
  readonly legalFormSet: Numbers;
  readonly activitySet: Numbers;
  readonly broadSet: Numbers;
  readonly broadNumberSet: Numbers;
}

export type MatchArrays = Omit<
  IndexArrays,
  | 'ids'
  | 'nameText'
  | 'nameStarts'
  | keyof IndexTexts['columns']
  | `${string}Set`
  | `set${string}`
  | 'bits'
  | 'blockCounts'
>;

export type EdgeTexts = Pick<IndexTexts, 'heads' | 'tails'>;

export function countBytes(arrays: IndexArrays): number {
  return Object.values(arrays).reduce((sum, array) => sum + array.byteLength, 0);
}
