import { ANY_WORD } from '../answer/words.ts';
import type { Edges } from './edges.ts';

/** Words that count as frequent, at most. */
const FREQUENT_WORDS = 1 << 12;
/** Documents from which a pair has a list of its own. */
const FREQUENT_FROM = 16;
/** Entries of a table, at most: 64 MB while building. */
const TABLE_SIZE = 1 << 24;

/** A pair with a list of its own, and where its group is noted. */
export interface FrequentPair {
  readonly left: number;
  readonly right: number;
  readonly head: number;
  readonly tail: number;
  readonly table: Uint32Array;
  readonly place: number;
}

/**
 * Which pairs of words deserve a group of their own in a bridge: two frequent words, a frequent one with any tail before it,
 * a frequent one with any head after it. They are counted in tables with a row for each frequent word; what is not frequent
 * is forgotten, and its place taken by the number of the group.
 */
export class FrequentPairs {
  readonly #head: Edges;
  readonly #tail: Edges;
  /** Number of the word among the frequent ones, plus one. */
  readonly #numbers: Uint16Array;
  readonly #words: number[] = [];
  readonly #both: Uint32Array;
  readonly #rightAfterTail: Uint32Array;
  readonly #leftBeforeHead: Uint32Array;

  constructor(words: Uint32Array, wordCount: number, head: Edges, tail: Edges) {
    this.#head = head;
    this.#tail = tail;
    const counts = new Uint32Array(wordCount);
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      counts[word] = (counts[word] as number) + 1;
    }
    const most = Math.min(FREQUENT_WORDS, Math.floor(TABLE_SIZE / Math.max(1, head.count, tail.count)));
    const least = Math.max(FREQUENT_FROM, counts.toSorted()[Math.max(0, wordCount - most)] ?? 0);
    this.#numbers = new Uint16Array(wordCount);
    for (let word = 0; word < wordCount && this.#words.length < most; word++) {
      if ((counts[word] as number) >= least) this.#numbers[word] = this.#words.push(word);
    }
    const rows = this.#words.length;
    this.#both = new Uint32Array(rows * rows);
    this.#rightAfterTail = new Uint32Array(rows * tail.count);
    this.#leftBeforeHead = new Uint32Array(rows * head.count);
  }

  count(left: number, right: number): void {
    const leftNumber = this.#numbers[left] as number;
    const rightNumber = this.#numbers[right] as number;
    if (leftNumber !== 0 && rightNumber !== 0) increase(this.#both, this.#placeOfBoth(leftNumber, rightNumber));
    else if (rightNumber !== 0) increase(this.#rightAfterTail, this.#placeOfRight(rightNumber, left));
    else if (leftNumber !== 0) increase(this.#leftBeforeHead, this.#placeOfLeft(leftNumber, right));
  }

  /** 0 if the pair has none: the first group of all is one of rare pairs. */
  groupOf(left: number, right: number): number {
    const leftNumber = this.#numbers[left] as number;
    const rightNumber = this.#numbers[right] as number;
    if (leftNumber !== 0 && rightNumber !== 0) return this.#both[this.#placeOfBoth(leftNumber, rightNumber)] as number;
    if (rightNumber !== 0) return this.#rightAfterTail[this.#placeOfRight(rightNumber, left)] as number;
    return leftNumber === 0 ? 0 : (this.#leftBeforeHead[this.#placeOfLeft(leftNumber, right)] as number);
  }

  #placeOfBoth(leftNumber: number, rightNumber: number): number {
    return (leftNumber - 1) * this.#words.length + rightNumber - 1;
  }

  #placeOfRight(rightNumber: number, left: number): number {
    return (rightNumber - 1) * this.#tail.count + (this.#tail.of[left] as number);
  }

  #placeOfLeft(leftNumber: number, right: number): number {
    return (leftNumber - 1) * this.#head.count + (this.#head.of[right] as number);
  }

  /** Those that occur often. */
  list(): FrequentPair[] {
    const wordAt = (row: number) => this.#words[row] as number;
    const headOf = (word: number) => this.#head.of[word] as number;
    const tailOf = (word: number) => this.#tail.of[word] as number;
    return [
      ...take(this.#both, this.#words.length, (row, column) => {
        const [left, right] = [wordAt(row), wordAt(column)];
        return { left, right, head: headOf(right), tail: tailOf(left) };
      }),
      ...take(this.#rightAfterTail, this.#tail.count, (row, tail) => {
        const right = wordAt(row);
        return { left: ANY_WORD, right, head: headOf(right), tail };
      }),
      ...take(this.#leftBeforeHead, this.#head.count, (row, head) => {
        const left = wordAt(row);
        return { left, right: ANY_WORD, head, tail: tailOf(left) };
      }),
    ];
  }
}

function increase(table: Uint32Array, place: number): void {
  table[place] = (table[place] as number) + 1;
}

/** Empties the table for the groups. */
function* take(
  table: Uint32Array,
  columns: number,
  describe: (row: number, column: number) => Omit<FrequentPair, 'table' | 'place'>,
): Generator<FrequentPair> {
  for (let place = 0; place < table.length; place++) {
    const count = table[place] as number;
    if (count === 0) continue;
    table[place] = 0;
    if (count >= FREQUENT_FROM) yield { ...describe(Math.floor(place / columns), place % columns), table, place };
  }
}
