import { fold } from '../../../base/fold.ts';
import { firstNotBelow } from '../answer/words.ts';
import { decodeJson } from '../build/texts.ts';
import type { SearchIndex } from '../search-index.ts';
import { positionOf } from '../shared-arrays.ts';

/**
 * The order of results across indexes: by folded name, then name, then id, each by code point, as `build/order.ts` sorts
 * the documents of one index. Two indexes number their words differently, so the words are compared as bytes.
 */
export interface DocumentKey {
  /** The folded name in UTF-8, with single spaces between the words. */
  readonly folded: Uint8Array;
  /** The name in UTF-8. */
  readonly name: Uint8Array;
  /** The UUID, in 16 bytes. */
  readonly id: Uint8Array;
}

const SPACE = 0x20;
const ID_BYTES = 16;

/** The id is in 16 bytes. */
export function createKey(name: string, id: Uint8Array): DocumentKey {
  return { folded: Buffer.from(fold(name)), name: Buffer.from(name), id };
}

export function readKey({ arrays }: SearchIndex, doc: number): DocumentKey {
  return createKey(Buffer.from(readName(arrays, doc)).toString(), readId(arrays, doc));
}

/** Negative if the document precedes the key, 0 if the document has this key. */
export function compareWithKey({ arrays }: SearchIndex, doc: number, key: DocumentKey): number {
  return (
    compareFolded(arrays, doc, key.folded) ||
    Buffer.compare(readName(arrays, doc), key.name) ||
    Buffer.compare(readId(arrays, doc), key.id)
  );
}

/** The number of documents that precede the key. At least `from` documents are known to precede it. */
export function countBefore(index: SearchIndex, key: DocumentKey, from = 0): number {
  // Keys often come in order. Looking near the previous key first touches less memory than starting in the middle.
  let low = from;
  let step = 1;
  while (low + step <= index.entities && compareWithKey(index, low + step - 1, key) < 0) {
    low += step;
    step *= 2;
  }
  const high = Math.min(low + step - 1, index.entities);
  return firstNotBelow(high, (doc) => compareWithKey(index, doc, key) < 0, low);
}

type Arrays = SearchIndex['arrays'];

export function compareFolded(arrays: Arrays, doc: number, folded: Uint8Array): number {
  const { vocabularyText: text, vocabularyStarts: starts, words, wordsStarts, wordsSteps } = arrays;
  const end = positionOf(wordsStarts, wordsSteps, doc + 1);
  let byte = 0;
  for (let at = positionOf(wordsStarts, wordsSteps, doc); at < end; at++) {
    if (byte >= folded.length) return 1;
    // A zero byte follows each word. A word of the key ends at a space or at the end of the key, which count as 0: below all other bytes.
    for (let from = starts[words[at] as number] as number; ; from++, byte++) {
      const ours = text[from] as number;
      const theirs = byte === folded.length || folded[byte] === SPACE ? 0 : (folded[byte] as number);
      if (ours !== theirs) return ours - theirs;
      if (ours === 0) break;
    }
    byte++;
  }
  return byte < folded.length ? -1 : 0;
}

/** The index keeps names as JSON strings without their quotation marks. */
export function readName(arrays: Arrays, doc: number): Uint8Array {
  const { 'summary.canonicalName.starts': starts, 'summary.canonicalName.steps': steps } = arrays;
  const [from, to] = [positionOf(starts, steps, doc), positionOf(starts, steps, doc + 1)];
  return decodeJson(arrays['summary.canonicalName.text'].slice(from, to));
}

function readId(arrays: Arrays, doc: number): Uint8Array {
  return arrays['summary.id'].subarray(doc * ID_BYTES, (doc + 1) * ID_BYTES);
}

/** The id of a document as text. */
export function formatId(arrays: Arrays, doc: number): string {
  const hex = Buffer.from(readId(arrays, doc)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
