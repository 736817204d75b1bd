import { ANY_WORD, firstCharacters, lastCharacters, reverse } from '../answer/words.ts';
import { type Offsets, sharedNumbers } from '../shared-arrays.ts';
import { GrowingNumbers } from './growing-arrays.ts';
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
      frequent.setGroup(pair.pair, group++);
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

/**
 * Decides which pairs of words get their own group in a bridge: two frequent words, a frequent word after any word with a given tail, a
 * frequent word before any word with a given head. Each side of a pair is a number: a frequent word, or a tail or head after these.
 */
class FrequentPairs {
  readonly #edges: Uint32Array;
  readonly #words: number[] = [];
  readonly #sides: number;
  readonly #table = new NumberTable();
  /** The number of occurrences of each pair and, after `list`, the number of its group or 0. */
  readonly #counts = new GrowingNumbers();

  /** Writes the numbers of the frequent words to `edges`. */
  constructor(words: Uint32Array, { words: edges, heads, tails }: WordEdges) {
    this.#edges = edges;
    const wordCount = edges.length / EDGE_RECORD;
    const counts = new Uint32Array(wordCount);
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number;
      counts[word] = (counts[word] as number) + 1;
    }
    const least = Math.max(MIN_PAIR_COUNT, counts.toSorted()[Math.max(0, wordCount - MAX_FREQUENT_WORDS)] ?? 0);
    for (let word = 0; word < wordCount && this.#words.length < MAX_FREQUENT_WORDS; word++) {
      if ((counts[word] as number) >= least) edges[word * EDGE_RECORD + FREQUENT] = this.#words.push(word);
    }
    this.#sides = this.#words.length + 1 + Math.max(heads.length, tails.length);
  }

  count(left: number, right: number): void {
    const key = this.#keyOf(left, right);
    if (key === 0) return;
    const pair = this.#table.add(key);
    if (pair === this.#counts.length) this.#counts.push(0);
    this.#counts.values[pair] = (this.#counts.values[pair] as number) + 1;
  }

  /** The group of a pair. It is 0 if the pair has no group of its own: the first group of a bridge is for all such pairs. */
  groupOf(left: number, right: number): number {
    const key = this.#keyOf(left, right);
    return key === 0 ? 0 : (this.#counts.values[this.#table.add(key)] as number);
  }

  setGroup(pair: number, group: number): void {
    this.#counts.values[pair] = group;
  }

  /** The number of a pair; 0 if neither word is frequent. */
  #keyOf(left: number, right: number): number {
    const edges = this.#edges;
    const leftRow = edges[left * EDGE_RECORD + FREQUENT] as number;
    const rightRow = edges[right * EDGE_RECORD + FREQUENT] as number;
    if (leftRow === 0 && rightRow === 0) return 0;
    const first = this.#words.length + 1;
    const leftSide = leftRow || first + (edges[left * EDGE_RECORD + TAIL] as number);
    return leftSide * this.#sides + (rightRow || first + (edges[right * EDGE_RECORD + HEAD] as number));
  }

  /** Returns the pairs that occur often enough, and clears the counts for the numbers of their groups. */
  list() {
    const pairs: { pair: number; left: number; right: number; head: number; tail: number }[] = [];
    for (const [pair, key] of this.#table.values().entries()) {
      const [left, tail] = this.#describe(Math.floor(key / this.#sides), TAIL);
      const [right, head] = this.#describe(key % this.#sides, HEAD);
      if ((this.#counts.values[pair] as number) >= MIN_PAIR_COUNT) pairs.push({ pair, left, right, head, tail });
      this.#counts.values[pair] = 0;
    }
    return pairs;
  }

  /** The word of a side, and its edge. */
  #describe(side: number, edge: number): readonly [word: number, edge: number] {
    const word = this.#words[side - 1];
    if (word === undefined) return [ANY_WORD, side - this.#words.length - 1];
    return [word, this.#edges[word * EDGE_RECORD + edge] as number];
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

function findEdges({ vocabularyText: text, vocabularyStarts: starts }: Vocabulary): WordEdges {
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
