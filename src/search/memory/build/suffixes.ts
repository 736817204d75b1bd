import type { MatchArrays } from '../search-index.ts';
import { sharedBytes, sharedNarrow, sharedNumbers, sharedOffsets } from '../shared-arrays.ts';
import type { ByteTable } from './byte-table.ts';
import { countUp } from './growing-arrays.ts';
import { sortByKeys } from './sort-by-keys.ts';

/** The distinct words in code-point order, each followed by a zero byte, and where each word starts. */
export type Vocabulary = Pick<MatchArrays, 'vocabularyText' | 'vocabularyStarts'>;

/** Sorts the words of the table. `ranks` has the number in the vocabulary of each word of the table. */
export function sortVocabulary(table: ByteTable): { vocabulary: Vocabulary; ranks: Uint32Array } {
  const { bytes } = table.text;
  const order = countUp(table.count);
  sortByKeys(order, {
    keyOf: (id, depth) => fourBytes(bytes, table.start(id) + depth * 4, table.end(id)),
    isLast: (key) => (key & 0xff) === 0,
  });
  const ranks = new Uint32Array(table.count);
  const text = sharedBytes(table.text.length + table.count);
  const starts = sharedOffsets(table.count + 1, text.length);
  let written = 0;
  for (let word = 0; word < order.length; word++) {
    const id = order[word] as number;
    ranks[id] = word;
    for (let at = table.start(id); at < table.end(id); at++) text[written++] = bytes[at] as number;
    starts[word + 1] = ++written;
  }
  return { vocabulary: { vocabularyText: text, vocabularyStarts: starts }, ranks };
}

/**
 * Makes a suffix array over the vocabulary: every suffix of every word, sorted; equal suffixes by word. A word contains a fragment
 * if a suffix of the word starts with the fragment, so the words that contain a fragment are one range of the array. Over the
 * vocabulary, the array has a few million entries; over all names of five million entities, it would have 140 million.
 */
export function sortSuffixes({ vocabularyText: text, vocabularyStarts: starts }: Vocabulary) {
  const suffixes = listSuffixes(text);
  sortByKeys(suffixes, {
    keyOf: (start, depth) => fourBytes(text, start + depth * 4),
    isLast: (key) => (key & 0xff) === 0,
  });
  /** The word at each position of the text. */
  const words = new Uint32Array(text.length);
  let longest = 0;
  for (let word = 0; word < starts.length - 1; word++) {
    const [from, to] = [starts[word] as number, starts[word + 1] as number];
    words.fill(word, from, to);
    longest = Math.max(longest, to - from - 1);
  }
  const suffixWord = sharedNumbers(suffixes.length);
  const suffixOffset = sharedNarrow(suffixes.length, longest);
  for (let index = 0; index < suffixes.length; index++) {
    const start = suffixes[index] as number;
    const word = words[start] as number;
    suffixWord[index] = word;
    suffixOffset[index] = start - (starts[word] as number);
  }
  return { suffixWord, suffixOffset };
}

/** The positions in the text where suffixes start. Suffixes start only at characters, because no fragment starts inside a character. */
function listSuffixes(text: Uint8Array): Uint32Array {
  const suffixes = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number;
    // A zero byte is the end of a word, and bytes of this form continue a character.
    if (byte !== 0 && (byte & 0xc0) !== 0x80) suffixes[count++] = at;
  }
  return suffixes.subarray(0, count);
}

/** Reads four bytes as a number, big-endian; bytes from a zero byte on, or from `end` on, count as zero. */
function fourBytes(bytes: Uint8Array, at: number, end = bytes.length): number {
  let value = 0;
  for (let index = at, shift = 24; index < end && shift >= 0; index++, shift -= 8) {
    const byte = bytes[index] as number;
    if (byte === 0) break;
    value |= byte << shift;
  }
  return value >>> 0;
}
