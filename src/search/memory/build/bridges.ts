import { ANY_WORD } from '../answer/words.ts';
import { sharedNumbers } from '../shared-arrays.ts';
import { createCells } from './cells.ts';
import { EDGE_RECORD, findEdges, HEAD, TAIL } from './edges.ts';
import { FrequentPairs } from './frequent-pairs.ts';
import type { OffsetArray } from './growing-arrays.ts';
import { invert } from './postings.ts';
import type { Vocabulary } from './suffixes.ts';

/**
 * Bridges answer fragments that span words, such as `ing ltd`. A bridge is a transition between two neighbouring words
 * of a name: the last two characters of the left word (its tail) and the first two of the right word (its head).
 * `TRADING LTD` has the bridge `ng` → `lt`.
 *
 * A bridge alone is too coarse: `ng` → `lt` has every document with `TRADING LTD`, `HOLDING LTDA` and so on, and each
 * of them would have to be checked. So the pairs of words in a bridge are divided into groups, each with its own
 * posting list: pairs of two frequent words; a frequent word after any word with that tail, such as `LTD` after `…ng`;
 * a frequent word before any word with that head; and one group, the first, for all other pairs. Most phrases that people search
 * for contain a frequent word, so few documents are left to check.
 */
export function buildBridges(vocabulary: Vocabulary, words: Uint32Array, wordsStarts: OffsetArray, docCount: number) {
  const edges = findEdges(vocabulary);
  const { heads, tails } = edges;
  const tailCount = tails.length;
  /** A bridge before it is numbered: its cell in a table of all heads and tails. */
  const cellOf = (left: number, right: number) =>
    (edges.words[right * EDGE_RECORD + HEAD] as number) * tailCount +
    (edges.words[left * EDGE_RECORD + TAIL] as number);

  // First pass: which bridges occur, and how often each pair with a frequent word.
  const bridges = createCells(heads.length * tails.length);
  const frequent = new FrequentPairs(words, edges);
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
      pair.table[pair.cell] = group++;
    }
  }
  bridgeGroups[sorted.length] = group;

  // Second pass: the groups of each document.
  const groups = new Uint32Array(words.length);
  const listStarts = words.length < 2 ** 32 ? new Uint32Array(docCount + 1) : new Float64Array(docCount + 1);
  let count = 0;
  for (let doc = 0; doc < docCount; doc++) {
    for (let at = (wordsStarts[doc] as number) + 1; at < (wordsStarts[doc + 1] as number); at++) {
      const left = words[at - 1] as number;
      const right = words[at] as number;
      groups[count++] = frequent.groupOf(left, right) || (bridgeGroups[bridges.of(cellOf(left, right))] as number);
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
