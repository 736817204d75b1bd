import { ANY_WORD } from '../answer/words.ts';
import { firstCharacters, lastCharacters, reverse } from '../characters.ts';
import { Edges } from './edges.ts';
import { FrequentPairs } from './frequent-pairs.ts';
import { invert, type Postings } from './postings.ts';
import type { Vocabulary } from './suffixes.ts';

/**
 * Where one word of a name ends and the next begins. A bridge is the last two characters of a word, its tail, and the first
 * two of the next one, its head. Within it, pairs of words that occur often have a list of documents each; so have frequent
 * words with any word beside them, as `ltd` after whatever ends in `ng`; all other pairs share one. Most phrases people look
 * for have a frequent word in them, and then there is little left to look at in the documents themselves.
 */
export interface Bridges {
  readonly heads: readonly string[];
  readonly tails: readonly string[];
  /** The tails of each head, ascending: bridges are numbered in this order. */
  readonly bridgeTails: Uint32Array;
  readonly bridgeTailsStarts: Uint32Array;
  /** The groups of each bridge: first the one of its rare pairs, then the others. */
  readonly bridgeGroups: Uint32Array;
  /** The words of a group, `ANY_WORD` where they differ. */
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
  const bridgeOf = (left: number, right: number) =>
    (head.of[right] as number) * tails.length + (tail.of[left] as number);

  const bridges = createPairs(heads.length * tails.length);
  const frequent = new FrequentPairs(words, vocabulary.starts.length - 1, head, tail);
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      bridges.add(bridgeOf(left, right));
      frequent.count(left, right);
    }
  }
  const sorted = bridges.number();

  // The groups, bridge by bridge.
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
      pair.table[pair.place] = group++;
    }
  }
  bridgeGroups[sorted.length] = group;

  const groups = new Uint32Array(words.length);
  const listStarts = new Uint32Array(docCount + 1);
  let count = 0;
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      groups[count++] = frequent.groupOf(left, right) || (bridgeGroups[bridges.of(bridgeOf(left, right))] as number);
    }
    listStarts[doc + 1] = count;
  }

  const { bridgeTails, bridgeTailsStarts } = listTails(sorted, heads.length, tails.length);
  const postings = invert(groups, listStarts, docCount, groupCount);
  return { heads, tails, bridgeTails, bridgeTailsStarts, bridgeGroups, pairLeft, pairRight, postings };
}

function findEdges({ text, starts }: Vocabulary) {
  const head = new Edges(starts.length - 1);
  const tail = new Edges(starts.length - 1);
  const buffer = Buffer.from(text.buffer);
  for (let word = 0; word < starts.length - 1; word++) {
    const start = starts[word] as number;
    const end = (starts[word + 1] as number) - 1;
    // Two characters are eight bytes at most; a character cut in half by that is not among them.
    head.set(word, firstCharacters(buffer.toString('utf8', start, Math.min(end, start + 8))));
    tail.set(word, lastCharacters(buffer.toString('utf8', Math.max(start, end - 8), end)));
  }
  return { head, tail, heads: head.sort((edge) => edge), tails: tail.sort(reverse) };
}

function listTails(sorted: Float64Array, headCount: number, tailCount: number) {
  const bridgeTails = new Uint32Array(sorted.length);
  const bridgeTailsStarts = new Uint32Array(headCount + 1);
  for (const [bridge, pair] of sorted.entries()) {
    bridgeTails[bridge] = pair % tailCount;
    bridgeTailsStarts[Math.floor(pair / tailCount) + 1] = bridge + 1;
  }
  for (let edge = 1; edge <= headCount; edge++) {
    // A head that no word comes before has no tails.
    bridgeTailsStarts[edge] = Math.max(bridgeTailsStarts[edge] as number, bridgeTailsStarts[edge - 1] as number);
  }
  return { bridgeTails, bridgeTailsStarts };
}

/** 64 M pairs are 256 MB while building; with so many edges most pairs never occur. */
const MOST_PAIRS = 1 << 26;

function createPairs(count: number): Pairs {
  return count <= MOST_PAIRS ? new DensePairs(count) : new SparsePairs();
}

interface Pairs {
  add(pair: number): void;
  /** Numbers the pairs that were added, in ascending order, and lists them. */
  number(): Float64Array;
  of(pair: number): number;
}

class DensePairs implements Pairs {
  readonly #numbers: Uint32Array;

  constructor(count: number) {
    this.#numbers = new Uint32Array(count);
  }

  add(pair: number): void {
    this.#numbers[pair] = 1;
  }

  number(): Float64Array {
    let count = 0;
    for (let pair = 0; pair < this.#numbers.length; pair++) count += this.#numbers[pair] as number;
    const sorted = new Float64Array(count);
    let next = 0;
    for (let pair = 0; pair < this.#numbers.length; pair++) {
      if (this.#numbers[pair] === 0) continue;
      this.#numbers[pair] = next;
      sorted[next++] = pair;
    }
    return sorted;
  }

  of(pair: number): number {
    return this.#numbers[pair] as number;
  }
}

class SparsePairs implements Pairs {
  readonly #numbers = new Map<number, number>();

  add(pair: number): void {
    this.#numbers.set(pair, 0);
  }

  number(): Float64Array {
    const sorted = Float64Array.from(this.#numbers.keys()).sort();
    for (const [number, pair] of sorted.entries()) this.#numbers.set(pair, number);
    return sorted;
  }

  of(pair: number): number {
    return this.#numbers.get(pair) as number;
  }
}
