import { ANY_WORD } from '../answer/words.ts';
import { EDGE_RECORD, FREQUENT, HEAD, TAIL, type WordEdges } from './edges.ts';

const MAX_FREQUENT_WORDS = 1 << 12;
/** A pair that occurs in at least this many documents gets its own list. For rarer pairs, checking the documents is cheap enough. */
const MIN_PAIR_COUNT = 16;
/** The maximum number of cells of a table, which takes 64 MB during the build. */
const MAX_TABLE_CELLS = 1 << 24;

/** A pair with its own list. Its group is noted in a cell of a table. */
export interface FrequentPair {
  readonly left: number;
  readonly right: number;
  readonly head: number;
  readonly tail: number;
  readonly table: Uint32Array;
  readonly cell: number;
}

/**
 * Decides which pairs of words get their own group in a bridge (see `bridges.ts`): two frequent words, a frequent word
 * after any word with a given tail, a frequent word before any word with a given head. Each kind is counted in a table
 * with one row per frequent word. After counting, the same tables hold the group of each pair that is frequent, and 0
 * for the others.
 */
export class FrequentPairs {
  readonly #edges: Uint32Array;
  readonly #headCount: number;
  readonly #tailCount: number;
  readonly #words: number[] = [];
  readonly #both: Uint32Array;
  readonly #rightAfterTail: Uint32Array;
  readonly #leftBeforeHead: Uint32Array;

  /** Notes the numbers of the frequent words in `edges`. */
  constructor(words: Uint32Array, edges: WordEdges) {
    this.#edges = edges.words;
    this.#headCount = edges.heads.length;
    this.#tailCount = edges.tails.length;
    const wordCount = edges.words.length / EDGE_RECORD;
    const counts = new Uint32Array(wordCount);
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      counts[word] = (counts[word] as number) + 1;
    }
    const most = Math.min(
      MAX_FREQUENT_WORDS,
      Math.floor(MAX_TABLE_CELLS / Math.max(1, this.#headCount, this.#tailCount)),
    );
    const least = Math.max(MIN_PAIR_COUNT, counts.toSorted()[Math.max(0, wordCount - most)] ?? 0);
    for (let word = 0; word < wordCount && this.#words.length < most; word++) {
      if ((counts[word] as number) >= least) this.#edges[word * EDGE_RECORD + FREQUENT] = this.#words.push(word);
    }
    const rows = this.#words.length;
    this.#both = new Uint32Array(rows * rows);
    this.#rightAfterTail = new Uint32Array(rows * this.#tailCount);
    this.#leftBeforeHead = new Uint32Array(rows * this.#headCount);
  }

  count(left: number, right: number): void {
    const leftNumber = this.#edges[left * EDGE_RECORD + FREQUENT] as number;
    const rightNumber = this.#edges[right * EDGE_RECORD + FREQUENT] as number;
    if (leftNumber !== 0 && rightNumber !== 0) increase(this.#both, this.#cellOfBoth(leftNumber, rightNumber));
    else if (rightNumber !== 0) increase(this.#rightAfterTail, this.#cellOfRight(rightNumber, left));
    else if (leftNumber !== 0) increase(this.#leftBeforeHead, this.#cellOfLeft(leftNumber, right));
  }

  /** 0 if the pair has no group of its own: the first group of a bridge is for all other pairs. */
  groupOf(left: number, right: number): number {
    const leftNumber = this.#edges[left * EDGE_RECORD + FREQUENT] as number;
    const rightNumber = this.#edges[right * EDGE_RECORD + FREQUENT] as number;
    if (leftNumber !== 0 && rightNumber !== 0) return this.#both[this.#cellOfBoth(leftNumber, rightNumber)] as number;
    if (rightNumber !== 0) return this.#rightAfterTail[this.#cellOfRight(rightNumber, left)] as number;
    return leftNumber === 0 ? 0 : (this.#leftBeforeHead[this.#cellOfLeft(leftNumber, right)] as number);
  }

  #cellOfBoth(leftNumber: number, rightNumber: number): number {
    return (leftNumber - 1) * this.#words.length + rightNumber - 1;
  }

  #cellOfRight(rightNumber: number, left: number): number {
    return (rightNumber - 1) * this.#tailCount + (this.#edges[left * EDGE_RECORD + TAIL] as number);
  }

  #cellOfLeft(leftNumber: number, right: number): number {
    return (leftNumber - 1) * this.#headCount + (this.#edges[right * EDGE_RECORD + HEAD] as number);
  }

  /** Returns the pairs that occur often enough and clears the tables for the numbers of their groups. */
  list(): FrequentPair[] {
    const wordAt = (row: number) => this.#words[row] as number;
    const headOf = (word: number) => this.#edges[word * EDGE_RECORD + HEAD] as number;
    const tailOf = (word: number) => this.#edges[word * EDGE_RECORD + TAIL] as number;
    return [
      ...take(this.#both, this.#words.length, (row, column) => {
        const [left, right] = [wordAt(row), wordAt(column)];
        return { left, right, head: headOf(right), tail: tailOf(left) };
      }),
      ...take(this.#rightAfterTail, this.#tailCount, (row, tail) => {
        const right = wordAt(row);
        return { left: ANY_WORD, right, head: headOf(right), tail };
      }),
      ...take(this.#leftBeforeHead, this.#headCount, (row, head) => {
        const left = wordAt(row);
        return { left, right: ANY_WORD, head, tail: tailOf(left) };
      }),
    ];
  }
}

function increase(table: Uint32Array, cell: number): void {
  table[cell] = (table[cell] as number) + 1;
}

function* take(
  table: Uint32Array,
  columns: number,
  describe: (row: number, column: number) => Omit<FrequentPair, 'table' | 'cell'>,
): Generator<FrequentPair> {
  for (let cell = 0; cell < table.length; cell++) {
    const count = table[cell] as number;
    if (count === 0) continue;
    table[cell] = 0;
    if (count >= MIN_PAIR_COUNT) yield { ...describe(Math.floor(cell / columns), cell % columns), table, cell };
  }
}
