import { firstCharacters, lastCharacters, reverse } from '../characters.ts';
import type { Vocabulary } from './suffixes.ts';

/**
 * The edges of words: their first two characters (heads) and their last two (tails), see `bridges.ts`. Two characters
 * are a compromise: shorter edges leave more documents to check in a bridge, longer ones create more bridges.
 */
export interface WordEdges {
  /** The beginnings of words, sorted. */
  readonly heads: readonly string[];
  /** Sorted from their end, so that all tails with the same last character are one range. */
  readonly tails: readonly string[];
  /**
   * Four numbers per word: its head, its tail, its number among the frequent words (`frequent-pairs.ts`) or 0, and one
   * that is not used. They are neighbours, so that looking all of them up touches one cache line.
   */
  readonly words: Uint32Array;
}

export const [EDGE_RECORD, HEAD, TAIL, FREQUENT] = [4, 0, 1, 2];

export function findEdges({ text, starts }: Vocabulary): WordEdges {
  const wordCount = starts.length - 1;
  const words = new Uint32Array(wordCount * EDGE_RECORD);
  const heads = new EdgeTable((bytes) => firstCharacters(bytes.toString()));
  const tails = new EdgeTable((bytes) => lastCharacters(bytes.toString()));
  const buffer = Buffer.from(text.buffer);
  for (let word = 0; word < wordCount; word++) {
    const start = starts[word] as number;
    const end = (starts[word + 1] as number) - 1;
    const second = Math.min(start + 1, end);
    const beforeLast = Math.max(start, end - 2);
    // Two characters have at most eight bytes. A third character may be cut in half, but it is not used.
    words[word * EDGE_RECORD + HEAD] = heads.add(
      buffer,
      start,
      Math.min(second + 1, end),
      start,
      Math.min(end, start + 8),
    );
    words[word * EDGE_RECORD + TAIL] = tails.add(buffer, beforeLast, end, Math.max(start, end - 8), end);
  }
  return { heads: heads.sort(words, HEAD), tails: tails.sort(words, TAIL, reverse), words };
}

/** Numbers the distinct edges at one end of words. */
class EdgeTable {
  readonly #read: (bytes: Buffer) => string;
  readonly #edges: string[] = [];
  readonly #numbers = new Map<string, number>();
  /** The number plus one of an edge of one or two ASCII characters, so that most words need no string. */
  readonly #ascii = new Uint32Array(1 << 16);

  constructor(read: (bytes: Buffer) => string) {
    this.#read = read;
  }

  /** `from` to `to` are the two outermost bytes of a word, or one if it has one; `first` to `last` at most eight. */
  add(text: Buffer, from: number, to: number, first: number, last: number): number {
    const one = text[from] as number;
    const two = to - from > 1 ? (text[from + 1] as number) : 0;
    if (one >= 0x80 || two >= 0x80) return this.#number(this.#read(text.subarray(first, last)));
    const key = (one << 8) | two;
    if (this.#ascii[key] === 0) this.#ascii[key] = this.#number(this.#read(text.subarray(from, to))) + 1;
    return (this.#ascii[key] as number) - 1;
  }

  #number(edge: string): number {
    let number = this.#numbers.get(edge);
    if (number === undefined) {
      number = this.#edges.push(edge) - 1;
      this.#numbers.set(edge, number);
    }
    return number;
  }

  /** Numbers the edges again, in the order of their keys, and returns them in that order. */
  sort(words: Uint32Array, field: number, keyOf = (edge: string) => edge): string[] {
    const order = this.#edges.map((edge, number) => ({ edge, number, key: keyOf(edge) }));
    order.sort((a, b) => (a.key < b.key ? -1 : 1));
    const ranks = new Uint32Array(order.length);
    for (const [rank, { number }] of order.entries()) ranks[number] = rank;
    for (let at = field; at < words.length; at += EDGE_RECORD) words[at] = ranks[words[at] as number] as number;
    return order.map(({ edge }) => edge);
  }
}
