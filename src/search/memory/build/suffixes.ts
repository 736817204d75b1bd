import { type Narrow, sharedBytes, sharedNarrow, sharedNumbers } from '../shared-arrays.ts';
import type { ByteTable } from './byte-table.ts';
import { countUp } from './growing-arrays.ts';

/**
 * The vocabulary of all names, with its words numbered in code-point order, and a suffix array over it: every suffix of
 * every word, sorted. A word contains a fragment if one of its suffixes starts with it, so the words that contain a
 * fragment are one range of the array. Built over the vocabulary, the array has a few million entries; over all names
 * it would have 140 million for five million entities.
 */
export interface Vocabulary {
  /** The words in order, each followed by a zero byte. */
  readonly text: Uint8Array<SharedArrayBuffer>;
  /** Where each word starts, and at the end where the next one would. */
  readonly starts: Uint32Array<SharedArrayBuffer>;
  readonly suffixWord: Uint32Array<SharedArrayBuffer>;
  /** Where in its word the suffix starts. */
  readonly suffixOffset: Narrow;
}

/** Also returns `ranks`: the number in the vocabulary of each word of the table. */
export function sortVocabulary(table: ByteTable): { vocabulary: Vocabulary; ranks: Uint32Array } {
  const suffixes = listSuffixes(table);
  const order = sortByFirstBytes(suffixes);
  sortTies(suffixes, order);

  const ranks = new Uint32Array(table.count);
  const text = sharedBytes(table.text.length + table.count);
  const starts = sharedNumbers(table.count + 1);
  let word = 0;
  let end = 0;
  for (const suffix of order) {
    if (suffixes.offset[suffix] !== 0) continue;
    const id = suffixes.word[suffix] as number;
    ranks[id] = word;
    starts[word++] = end;
    for (let at = table.start(id); at < table.end(id); at++) text[end++] = table.text.bytes[at] as number;
    end++;
  }
  starts[word] = end;

  const suffixWord = sharedNumbers(order.length);
  const suffixOffset = sharedNarrow(order.length, suffixes.greatestOffset);
  for (let index = 0; index < order.length; index++) {
    const suffix = order[index] as number;
    suffixWord[index] = ranks[suffixes.word[suffix] as number] as number;
    suffixOffset[index] = suffixes.offset[suffix] as number;
  }
  return { vocabulary: { text, starts, suffixWord, suffixOffset }, ranks };
}

interface Suffixes {
  readonly table: ByteTable;
  readonly word: Uint32Array;
  readonly offset: Uint32Array;
  readonly greatestOffset: number;
  /** The first eight bytes of each suffix, padded with zeros, as two numbers. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
}

/** Suffixes start at characters only: no fragment starts inside one. */
function listSuffixes(table: ByteTable): Suffixes {
  const { bytes, length } = table.text;
  let count = 0;
  for (let at = 0; at < length; at++) if (startsCharacter(bytes[at] as number)) count++;
  const word = new Uint32Array(count);
  const offset = new Uint32Array(count);
  const high = new Uint32Array(count);
  const low = new Uint32Array(count);
  let greatestOffset = 0;
  let suffix = 0;
  for (let id = 0; id < table.count; id++) {
    const start = table.start(id);
    const end = table.end(id);
    for (let at = start; at < end; at++) {
      if (!startsCharacter(bytes[at] as number)) continue;
      word[suffix] = id;
      offset[suffix] = at - start;
      high[suffix] = fourBytes(bytes, at, end);
      low[suffix] = fourBytes(bytes, at + 4, end);
      suffix++;
    }
    greatestOffset = Math.max(greatestOffset, end - start);
  }
  return { table, word, offset, greatestOffset, high, low };
}

function startsCharacter(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}

function fourBytes(bytes: Uint8Array, at: number, end: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) value = (value << 8) | (index < end ? (bytes[index] as number) : 0);
  return value >>> 0;
}

/**
 * A radix sort with sixteen bits per pass, from the last of the eight bytes to the first. Few suffixes share all eight.
 */
function sortByFirstBytes({ high, low }: Suffixes): Uint32Array {
  let order = countUp(high.length);
  let next = new Uint32Array(order.length);
  const counts = new Uint32Array(0x10001);
  for (const [key, shift] of [
    [low, 0],
    [low, 16],
    [high, 0],
    [high, 16],
  ] as const) {
    counts.fill(0);
    for (let index = 0; index < key.length; index++) {
      const digit = (((key[index] as number) >>> shift) & 0xffff) + 1;
      counts[digit] = (counts[digit] as number) + 1;
    }
    for (let digit = 1; digit < counts.length; digit++) {
      counts[digit] = (counts[digit] as number) + (counts[digit - 1] as number);
    }
    for (let index = 0; index < order.length; index++) {
      const item = order[index] as number;
      const digit = ((key[item] as number) >>> shift) & 0xffff;
      const at = counts[digit] as number;
      counts[digit] = at + 1;
      next[at] = item;
    }
    [order, next] = [next, order];
  }
  return order;
}

/** Sorts suffixes that share their first eight bytes by the rest. If the eighth byte is padding, they are equal. */
function sortTies(suffixes: Suffixes, order: Uint32Array): void {
  const { high, low } = suffixes;
  for (let from = 0; from < order.length; ) {
    const first = order[from] as number;
    let to = from + 1;
    while (to < order.length && low[order[to] as number] === low[first] && high[order[to] as number] === high[first]) {
      to++;
    }
    const continues = ((low[first] as number) & 0xff) !== 0;
    if (continues && to - from > 1) order.subarray(from, to).sort((a, b) => compareRest(suffixes, a, b));
    from = to;
  }
}

function compareRest({ table, word, offset }: Suffixes, a: number, b: number): number {
  const { bytes } = table.text;
  const [wordA, wordB] = [word[a] as number, word[b] as number];
  const endA = table.end(wordA);
  const endB = table.end(wordB);
  let atA = table.start(wordA) + (offset[a] as number) + 8;
  let atB = table.start(wordB) + (offset[b] as number) + 8;
  for (; atA < endA && atB < endB; atA++, atB++) {
    if (bytes[atA] !== bytes[atB]) return (bytes[atA] as number) - (bytes[atB] as number);
  }
  return endA - atA - (endB - atB);
}
