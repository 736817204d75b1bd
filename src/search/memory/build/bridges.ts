import { ANY_WORD } from '../answer/words.ts';
import { firstCharacters, lastCharacters, reverse } from '../characters.ts';
import { Edges } from './edges.ts';
import { FrequentPairs } from './frequent-pairs.ts';
import { invert, type Postings } from './postings.ts';
import type { Vocabulary } from './suffixes.ts';

/**
 * Bridges answer fragments that span words, such as `ing ltd`. A bridge is a transition between two neighbouring words
 * of a name: the last two characters of the left word (its tail) and the first two of the right word (its head).
 * `TRADING LTD` has the bridge `ng` → `lt`.
 *
 * A bridge alone is too coarse: `ng` → `lt` has every document with `TRADING LTD`, `HOLDING LTDA` and so on, and each
 * of them would have to be checked. So the pairs of words in a bridge are divided into groups, each with its own
 * posting list: pairs of two frequent words; a frequent word after any word with that tail, such as `LTD` after `…ng`;
 * a frequent word before any word with that head; and one group for all other pairs. Most phrases that people search
 * for contain a frequent word, so few documents are left to check.
 */
export interface Bridges {
  readonly heads: readonly string[];
  readonly tails: readonly string[];
  /** The tails of each head, ascending. Bridges are numbered in this order. */
  readonly bridgeTails: Uint32Array;
  readonly bridgeTailsStarts: Uint32Array;
  /** The first group of each bridge, which is the one for all other pairs; its remaining groups follow. */
  readonly bridgeGroups: Uint32Array;
  /** The words of a group, `ANY_WORD` if they differ. */
  readonly pairLeft: Uint32Array;
  readonly pairRight: Uint32Array;
  /** By group. */
  readonly postings: Postings;
}

export function buildBridges(
  vocabulary: Vocabulary,
  words: Uint32Array,
  wordsStarts: Uint32Array,
  docCount: number,
): Bridges {
  const { head, tail, heads, tails } = findEdges(vocabulary);
  /** A bridge before it is numbered: its cell in a table of all heads and tails. */
  const cellOf = (left: number, right: number) => (head.of[right] as number) * tails.length + (tail.of[left] as number);

  // First pass: which bridges occur, and how often each pair with a frequent word.
  const bridges = createCells(heads.length * tails.length);
  const frequent = new FrequentPairs(words, vocabulary.starts.length - 1, head, tail);
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      bridges.add(cellOf(left, right));
      frequent.count(left, right);
    }
  }
  const sorted = bridges.number();

  // Number the groups, bridge by bridge.
  const pairs = frequent.list().map((pair) => ({ ...pair, bridge: bridges.of(pair.head * tails.length + pair.tail) }));
  pairs.sort((a, b) => a.bridge - b.bridge);
  const groupCount = sorted.length + pairs.length;
  const bridgeGroups = new Uint32Array(sorted.length + 1);
  const pairLeft = new Uint32Array(groupCount).fill(ANY_WORD);
  const pairRight = new Uint32Array(groupCount).fill(ANY_WORD);
  let group = 0;
  let next = 0;
  for (let bridge = 0; bridge < sorted.length; bridge++) {
    bridgeGroups[bridge] = group++;
    for (let pair = pairs[next]; pair?.bridge === bridge; pair = pairs[++next]) {
      pairLeft[group] = pair.left;
      pairRight[group] = pair.right;
      pair.table[pair.cell] = group++;
    }
  }
  bridgeGroups[sorted.length] = group;

  // Second pass: the groups of each document.
  const groups = new Uint32Array(words.length);
  const listStarts = new Uint32Array(docCount + 1);
  let count = 0;
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      groups[count++] = frequent.groupOf(left, right) || (bridgeGroups[bridges.of(cellOf(left, right))] as number);
    }
    listStarts[doc + 1] = count;
  }

  const { bridgeTails, bridgeTailsStarts } = listTails(sorted, heads.length, tails.length);
  const postings = invert(groups, listStarts, docCount, groupCount);
  return { heads, tails, bridgeTails, bridgeTailsStarts, bridgeGroups, pairLeft, pairRight, postings };
}

/** Tails are sorted from their end, so that all tails with the same last character are one range. */
function findEdges({ text, starts }: Vocabulary) {
  const head = new Edges(starts.length - 1);
  const tail = new Edges(starts.length - 1);
  const buffer = Buffer.from(text.buffer);
  for (let word = 0; word < starts.length - 1; word++) {
    const start = starts[word] as number;
    const end = (starts[word + 1] as number) - 1;
    // Two characters have at most eight bytes. A third character may be cut in half, but it is not used.
    head.set(word, firstCharacters(buffer.toString('utf8', start, Math.min(end, start + 8))));
    tail.set(word, lastCharacters(buffer.toString('utf8', Math.max(start, end - 8), end)));
  }
  return { head, tail, heads: head.sort((edge) => edge), tails: tail.sort(reverse) };
}

function listTails(sorted: Float64Array, headCount: number, tailCount: number) {
  const bridgeTails = new Uint32Array(sorted.length);
  const bridgeTailsStarts = new Uint32Array(headCount + 1);
  for (const [bridge, cell] of sorted.entries()) {
    bridgeTails[bridge] = cell % tailCount;
    bridgeTailsStarts[Math.floor(cell / tailCount) + 1] = bridge + 1;
  }
  for (let edge = 1; edge <= headCount; edge++) {
    // A head that only occurs at the start of names has no tails: its range is empty.
    bridgeTailsStarts[edge] = Math.max(bridgeTailsStarts[edge] as number, bridgeTailsStarts[edge - 1] as number);
  }
  return { bridgeTails, bridgeTailsStarts };
}

/**
 * A table of 64 M cells takes 256 MB during the build. With more edges than that most cells are empty, and a Map is
 * smaller.
 */
const MAX_TABLE_CELLS = 1 << 26;

function createCells(count: number): Cells {
  return count <= MAX_TABLE_CELLS ? new DenseCells(count) : new SparseCells();
}

/** Numbers the cells that are used, in ascending order. */
interface Cells {
  add(cell: number): void;
  /** Numbers the cells that were added and returns them by number. */
  number(): Float64Array;
  of(cell: number): number;
}

class DenseCells implements Cells {
  readonly #numbers: Uint32Array;

  constructor(count: number) {
    this.#numbers = new Uint32Array(count);
  }

  add(cell: number): void {
    this.#numbers[cell] = 1;
  }

  number(): Float64Array {
    let count = 0;
    for (let cell = 0; cell < this.#numbers.length; cell++) count += this.#numbers[cell] as number;
    const sorted = new Float64Array(count);
    let next = 0;
    for (let cell = 0; cell < this.#numbers.length; cell++) {
      if (this.#numbers[cell] === 0) continue;
      this.#numbers[cell] = next;
      sorted[next++] = cell;
    }
    return sorted;
  }

  of(cell: number): number {
    return this.#numbers[cell] as number;
  }
}

class SparseCells implements Cells {
  readonly #numbers = new Map<number, number>();

  add(cell: number): void {
    this.#numbers.set(cell, 0);
  }

  number(): Float64Array {
    const sorted = Float64Array.from(this.#numbers.keys()).sort();
    for (const [number, cell] of sorted.entries()) this.#numbers.set(cell, number);
    return sorted;
  }

  of(cell: number): number {
    return this.#numbers.get(cell) as number;
  }
}
