import { ANY_WORD, firstCharacters, lastCharacters, reverse } from '../answer/words.ts';
import { type Offsets, sharedNumbers } from '../shared-arrays.ts';
import { NumberTable } from './number-table.ts';
import { invert } from './postings.ts';
import type { Vocabulary } from './suffixes.ts';

/**
 * Bridges answer fragments that span words, such as `ing ltd`. A bridge is a transition between two neighbouring words of
 * a name: the last two characters of the left word (its tail) and the first two characters of the right word (its head).
 * `TRADING LTD` has the bridge `ng` → `lt`.
 *
 * A bridge alone is too coarse: `ng` → `lt` has every document with `TRADING LTD`, `HOLDING LTDA` and so on, and all these
 * documents would have to be checked. So the pairs of words in a bridge are divided into groups, each with its own posting
 * list: pairs of two frequent words; a frequent word after any word with the tail of the bridge, such as `LTD` after `…ng`;
 * a frequent word before any word with the head of the bridge; and the first group, for all other pairs. Most phrases that
 * people search for contain a frequent word, so few documents are left to check.
 */
export function buildBridges(vocabulary: Vocabulary, words: Uint32Array, wordsStarts: Offsets, docCount: number) {
  const edges = findEdges(vocabulary);
  const { heads, tails } = edges;
  const tailCount = tails.length;
  /** Identifies a bridge before bridges are numbered: its cell in a table of all heads and tails. */
  const cellOf = (left: number, right: number) =>
    (edges.words[right * EDGE_RECORD + HEAD] as number) * tailCount +
    (edges.words[left * EDGE_RECORD + TAIL] as number);

  // The first pass finds the bridges that occur, and counts each pair with a frequent word.
  const bridges = new NumberTable();
  const frequent = new FrequentPairs(words, edges);
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      bridges.add(cellOf(left, right));
      frequent.count(left, right);
    }
  }
  const sorted = bridges.sort();

  // Number the groups, bridge by bridge.
  const pairs = frequent.list().map((pair) => ({ ...pair, bridge: bridges.add(pair.head * tails.length + pair.tail) }));
  pairs.sort((a, b) => a.bridge - b.bridge);
  const groupCount = sorted.length + pairs.length;
  const bridgeGroups = sharedNumbers(sorted.length + 1);
  const pairLeft = sharedNumbers(groupCount).fill(ANY_WORD);
  const pairRight = sharedNumbers(groupCount).fill(ANY_WORD);
  let group = 0;
  let next = 0;
  for (let bridge = 0; bridge < sorted.length; bridge++) {
    bridgeGroups[bridge] = group++;
    for (let pair = pairs[next]; pair?.bridge === bridge; pair = pairs[++next]) {
      pairLeft[group] = pair.left;
      pairRight[group] = pair.right;
      frequent.groups[pair.cell] = group++;
    }
  }
  bridgeGroups[sorted.length] = group;

  // The second pass finds the groups of each document.
  const groups = new Uint32Array(words.length);
  const listStarts = new Uint32Array(docCount + 1);
  let count = 0;
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      groups[count++] = frequent.groupOf(left, right) || (bridgeGroups[bridges.add(cellOf(left, right))] as number);
    }
    listStarts[doc + 1] = count;
  }

  const { docs: bridgeDocs, starts: bridgeDocsStarts } = invert({ groups, starts: listStarts }, groupCount);
  const ofBridges = { ...listTails(sorted, heads.length, tails.length), bridgeGroups };
  return { heads, tails, arrays: { ...ofBridges, pairLeft, pairRight, bridgeDocs, bridgeDocsStarts } };
}

function listTails(sorted: Float64Array, headCount: number, tailCount: number) {
  const bridgeTails = sharedNumbers(sorted.length);
  const bridgeTailsStarts = sharedNumbers(headCount + 1);
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

const MAX_FREQUENT_WORDS = 1 << 12;
/** A pair that occurs in at least this many documents gets its own list. For rarer pairs, checking the documents is cheap enough. */
const MIN_PAIR_COUNT = 16;
/** The maximum number of cells of a table. Such a table takes 64 MB during the build. */
const MAX_TABLE_CELLS = 1 << 24;

/** A pair with its own list. The pair's cell in the table has the number of its group. */
interface FrequentPair {
  readonly left: number;
  readonly right: number;
  readonly head: number;
  readonly tail: number;
  readonly cell: number;
}

/**
 * Decides which pairs of words get their own group in a bridge: two frequent words, a frequent word after any word with a given tail, a
 * frequent word before any word with a given head. Pairs are counted in a table that has, for each of these kinds, one row per frequent
 * word. After counting, the table holds the group of each pair that is frequent, and 0 for all other pairs.
 */
class FrequentPairs {
  readonly groups: Uint32Array;
  readonly #edges: Uint32Array;
  readonly #headCount: number;
  readonly #tailCount: number;
  readonly #words: number[] = [];
  /** The positions where the cells of the second kind and of the third kind start. */
  readonly #afterTail: number;
  readonly #beforeHead: number;

  /** Writes the numbers of the frequent words to `edges`. */
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
    this.#afterTail = rows * rows;
    this.#beforeHead = this.#afterTail + rows * this.#tailCount;
    this.groups = new Uint32Array(this.#beforeHead + rows * this.#headCount);
  }

  count(left: number, right: number): void {
    const cell = this.#cellOf(left, right);
    if (cell >= 0) this.groups[cell] = (this.groups[cell] as number) + 1;
  }

  /** The group of a pair. It is 0 if the pair has no group of its own: the first group of a bridge is for all such pairs. */
  groupOf(left: number, right: number): number {
    const cell = this.#cellOf(left, right);
    return cell < 0 ? 0 : (this.groups[cell] as number);
  }

  /** The cell of a pair; negative if neither word is frequent. */
  #cellOf(left: number, right: number): number {
    const edges = this.#edges;
    const leftRow = (edges[left * EDGE_RECORD + FREQUENT] as number) - 1;
    const rightRow = (edges[right * EDGE_RECORD + FREQUENT] as number) - 1;
    if (rightRow < 0 && leftRow < 0) return -1;
    if (rightRow < 0) {
      return this.#beforeHead + leftRow * this.#headCount + (edges[right * EDGE_RECORD + HEAD] as number);
    }
    if (leftRow < 0) return this.#afterTail + rightRow * this.#tailCount + (edges[left * EDGE_RECORD + TAIL] as number);
    return leftRow * this.#words.length + rightRow;
  }

  /** Returns the pairs that occur often enough and clears the table for the numbers of their groups. */
  list(): FrequentPair[] {
    const pairs: FrequentPair[] = [];
    const [edges, rows] = [this.#edges, this.#words.length];
    const take = (cell: number, left: number, right: number, head: number, tail: number) => {
      if ((this.groups[cell] as number) >= MIN_PAIR_COUNT) pairs.push({ left, right, head, tail, cell });
      this.groups[cell] = 0;
    };
    for (const [row, word] of this.#words.entries()) {
      const wordHead = edges[word * EDGE_RECORD + HEAD] as number;
      const wordTail = edges[word * EDGE_RECORD + TAIL] as number;
      for (const [at, right] of this.#words.entries())
        take(row * rows + at, word, right, edges[right * EDGE_RECORD + HEAD] as number, wordTail);
      for (let tail = 0; tail < this.#tailCount; tail++)
        take(this.#afterTail + row * this.#tailCount + tail, ANY_WORD, word, wordHead, tail);
      for (let head = 0; head < this.#headCount; head++)
        take(this.#beforeHead + row * this.#headCount + head, word, ANY_WORD, head, wordTail);
    }
    return pairs;
  }
}

/**
 * The edges of words: their first two characters (heads) and their last two characters (tails). Two characters are a
 * compromise: with shorter edges, more documents of a bridge have to be checked; longer edges create more bridges.
 */
export interface WordEdges {
  /** The beginnings of words, sorted. */
  readonly heads: readonly string[];
  /** The endings of words, sorted from their last character, so that all tails with a given last character are one range. */
  readonly tails: readonly string[];
  /**
   * Four numbers per word: its head, its tail, its number among the frequent words (`FrequentPairs`) or 0, and an unused
   * number. These four numbers are neighbours, so that reading all four touches one cache line.
   */
  readonly words: Uint32Array;
}

const [EDGE_RECORD, HEAD, TAIL, FREQUENT] = [4, 0, 1, 2];

function findEdges({ text, starts }: Vocabulary): WordEdges {
  const wordCount = starts.length - 1;
  const words = new Uint32Array(wordCount * EDGE_RECORD);
  const [heads, tails] = [new Map<string, number>(), new Map<string, number>()];
  const numberOf = (edges: Map<string, number>, edge: string) => edges.getOrInsertComputed(edge, () => edges.size);
  const buffer = Buffer.from(text.buffer);
  for (let word = 0; word < wordCount; word++) {
    const start = starts[word] as number;
    const end = (starts[word + 1] as number) - 1;
    // Two characters have at most eight bytes. Eight bytes may end inside a third character, which is not used.
    const [first, last] = [Math.min(end, start + 8), Math.max(start, end - 8)];
    words[word * EDGE_RECORD + HEAD] = numberOf(heads, firstCharacters(buffer.toString('utf8', start, first)));
    words[word * EDGE_RECORD + TAIL] = numberOf(tails, lastCharacters(buffer.toString('utf8', last, end)));
  }
  return { heads: sortEdges(heads, words, HEAD), tails: sortEdges(tails, words, TAIL, reverse), words };
}

/** Renumbers the edges in the order of their keys, and returns the edges in this order. */
function sortEdges(
  edges: ReadonlyMap<string, number>,
  words: Uint32Array,
  field: number,
  keyOf = (edge: string) => edge,
): string[] {
  const order = Array.from(edges, ([edge, number]) => ({ edge, number, key: keyOf(edge) }));
  order.sort((a, b) => (a.key < b.key ? -1 : 1));
  const ranks = new Uint32Array(order.length);
  for (const [rank, { number }] of order.entries()) ranks[number] = rank;
  for (let at = field; at < words.length; at += EDGE_RECORD) words[at] = ranks[words[at] as number] as number;
  return order.map(({ edge }) => edge);
}
