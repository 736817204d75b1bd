import type { NumberFragment } from '../../../base/search-keys.ts';
import type { EdgeTexts, MatchArrays } from '../search-index.ts';
import type { Match, Test } from '../sets.ts';
import { positionOf } from '../shared-arrays.ts';
import { matchNumber, matchWholeNumber } from './match-number.ts';
import {
  ANY_WORD,
  addRange,
  countCharacters,
  createWords,
  firstCharacters,
  firstNotBelow,
  lastCharacters,
  NO_WORD,
  type Range,
  reverse,
  type Words,
} from './words.ts';

export type Matcher = ReturnType<typeof createMatcher>;

/**
 * Finds the documents that contain a fragment, as posting lists to unite, some of them with a check:
 * - inside a word: the words that contain the fragment are a range of the suffix array, and the lists of these words are the answer;
 * - across words, such as "ldings lim": `createPhraseMatcher`;
 * - in a registration number: `match-number.ts`.
 */
export function createMatcher(arrays: MatchArrays, edges: EdgeTexts) {
  const words = createWords(arrays);
  const matchPhrase = createPhraseMatcher(arrays, edges, words);

  function matchName(folded: string): Match[] {
    const parts = folded.split(' ');
    return parts.length === 1 ? [words.matchInside(Buffer.from(folded))] : matchPhrase(parts);
  }

  return {
    matchName,
    matchNumber: (number: NumberFragment) => matchNumber(arrays, number),
    /** Matches a complete number, only for documents that pass the filter. */
    matchWholeNumber: (number: string, filter: Test = () => true) => matchWholeNumber(arrays, number, filter),
  };
}

/**
 * Matches fragments that span several words, such as "ldings lim": the first part must end a word, the last part must
 * start one, and the parts between are complete words. Bridges (`build/bridges.ts`) list the documents in which a word
 * with a given ending is followed by a word with a given beginning. If the parts are no longer than the edges of a
 * bridge, or the words of its group are known, the lists of the bridges are the answer. Otherwise the lists of the bridges or
 * of the words, whichever are shorter, contain the candidates, and the words of each candidate are checked.
 */
function createPhraseMatcher(
  arrays: MatchArrays,
  { heads, tails }: EdgeTexts,
  vocabulary: Words,
): (parts: readonly string[]) => Match[] {
  const { words, wordsStarts, wordsSteps, wordDocs, wordDocsStarts, bridgeTails, bridgeTailsStarts } = arrays;
  const { bridgeGroups, pairLeft, pairRight, bridgeDocs, bridgeDocsStarts } = arrays;

  const reversed: string[] = [];
  /** Tails are sorted from their last character, so reversed tails are in ascending order. */
  function reversedTail(number: number): string {
    reversed[number] ??= reverse(tails.at(number));
    return reversed[number];
  }
  const headAt = (number: number) => heads.at(number);

  function matchPhrase(parts: readonly string[]): Match[] {
    const last = parts.length - 1;
    const ending = Buffer.from(parts[0] as string);
    const middle = parts.slice(1, last).map((part) => vocabulary.findWord(Buffer.from(part)));
    const beginning = vocabulary.findWords(Buffer.from(parts[last] as string));
    if (beginning[0] === beginning[1] || middle.includes(NO_WORD)) return [];

    const endings = vocabulary.findEnding(ending, MAX_WORDS);
    if (endings?.length === 0) return [];
    // If only a few words have the ending, comparing word numbers is faster than comparing text.
    const few = endings !== undefined && endings.length <= FEW_WORDS ? endings : undefined;
    const endsRight: WordTest = few ? (word) => few.includes(word) : (word) => vocabulary.endsWith(word, ending);
    // The test for the word to the left of each space, and the range of words that may be to the right.
    const lefts = [
      endsRight,
      ...middle.map(
        (word): WordTest =>
          (other) =>
            other === word,
      ),
    ];
    const rights = [...middle.map((word): Range => [word, word + 1]), beginning];
    const check = phraseTest(endsRight, middle, beginning);
    // If one of the words is rare, its few documents are checked.
    const lists = [endings, ...rights.map((range) => listRange(range))];
    const rare = findShortest(lists, FEW_DOCS);
    if (rare !== undefined) return [{ ...rare, check }];
    const bridges = lefts.slice(0, MAX_BRIDGES).map((isLeft, at) => {
      const [left, right] = [parts[at] as string, parts[at + 1] as string];
      const sides = { left, right, wholeLeft: at > 0, wholeRight: at + 1 < last };
      return listBridges(sides, isLeft, rights[at] as Range);
    });
    const best = bridges.reduce((cheapest, bridge) => (costOf(bridge) < costOf(cheapest) ? bridge : cheapest));
    // A phrase of two words has one bridge, and the groups that surely match need no check.
    const isPair = last === 1;
    const shorter = findShortest(lists, isPair ? best.unsure.cost + best.sure.cost / CHECK_COST : costOf(best));
    if (shorter !== undefined) return [{ ...shorter, check }];
    return [isPair ? best.sure : { ...best.sure, check }, { ...best.unsure, check }];
  }

  /**
   * The bridges between a word that ends with `left` (or is `left`) and a word that starts with `right` (or is
   * `right`). Bridges are numbered by head, then tail, so the bridges of a head are one range.
   */
  function findBridges({ left, right, wholeLeft, wholeRight }: Sides): number[] {
    const head = firstCharacters(right);
    const tail = reverse(lastCharacters(left));
    const [headFrom, headTo] = findEdges(heads.length, headAt, head, wholeRight || countCharacters(head) === 2);
    const [tailFrom, tailTo] = findEdges(tails.length, reversedTail, tail, wholeLeft || countCharacters(tail) === 2);
    const found: number[] = [];
    for (let edge = headFrom; edge < headTo; edge++) {
      const start = bridgeTailsStarts[edge] as number;
      const end = bridgeTailsStarts[edge + 1] as number;
      let at = start + firstNotBelow(end - start, (item) => (bridgeTails[start + item] as number) < tailFrom);
      for (; at < end && (bridgeTails[at] as number) < tailTo; at++) found.push(at);
    }
    return found;
  }

  /**
   * Divides the groups of the bridges: a group whose words cannot match is left out, a group whose words all match is
   * `sure`, and a group of several words of which only some may match is `unsure`.
   */
  function listBridges(sides: Sides, isLeft: WordTest, [lowest, end]: Range): Bridges {
    const leftFits = fitsEdge(sides.left, sides.wholeLeft);
    const rightFits = fitsEdge(sides.right, sides.wholeRight);
    const sure: number[] = [];
    const unsure: number[] = [];
    let sureCost = 0;
    let unsureCost = 0;
    for (const bridge of findBridges(sides)) {
      for (let group = bridgeGroups[bridge] as number; group < (bridgeGroups[bridge + 1] as number); group++) {
        const left = pairLeft[group] as number;
        const right = pairRight[group] as number;
        if (right !== ANY_WORD && (right < lowest || right >= end)) continue;
        if (left !== ANY_WORD && !isLeft(left)) continue;
        if ((leftFits || left !== ANY_WORD) && (rightFits || right !== ANY_WORD)) {
          sureCost += addRange(sure, bridgeDocsStarts, group);
        } else unsureCost += addRange(unsure, bridgeDocsStarts, group);
      }
    }
    return {
      sure: { ranges: sure, docs: bridgeDocs, cost: sureCost },
      unsure: { ranges: unsure, docs: bridgeDocs, cost: unsureCost },
    };
  }

  /** The lists of the words with the fewest documents. Words that are so frequent that they have no list (`build/build.ts`) do not count. */
  function findShortest(candidates: readonly (readonly number[] | undefined)[], maxCost: number): Match | undefined {
    let shortest: Match | undefined;
    for (const found of candidates) {
      const most = shortest?.cost ?? maxCost;
      // Each word has at least one document.
      const match = found !== undefined && found.length <= most ? listEach(found, most) : undefined;
      shortest = match ?? shortest;
    }
    return shortest;
  }

  /** The lists of some words. Undefined if they exceed `maxCost`, or if a word has no list. */
  function listEach(found: readonly number[], maxCost: number): Match | undefined {
    const ranges: number[] = [];
    let cost = 0;
    for (const word of found) {
      const length = addRange(ranges, wordDocsStarts, word);
      cost += length;
      if (length === 0 || cost > maxCost) return undefined;
    }
    return { ranges, docs: wordDocs, cost };
  }

  function phraseTest(endsRight: WordTest, middle: readonly number[], [lowest, above]: Range): Test {
    const gap = middle.length;
    return (doc) => {
      const end = positionOf(wordsStarts, wordsSteps, doc + 1);
      for (let at = positionOf(wordsStarts, wordsSteps, doc) + gap + 1; at < end; at++) {
        const word = words[at] as number;
        if (word < lowest || word >= above || !endsRight(words[at - gap - 1] as number)) continue;
        let same = 0;
        while (same < gap && words[at - gap + same] === middle[same]) same++;
        if (same === gap) return true;
      }
      return false;
    };
  }

  return matchPhrase;
}

/** The lists of the bridges that match at one space of the phrase. The documents of `unsure` have to be checked. */
interface Bridges {
  readonly sure: Match;
  readonly unsure: Match;
}

/** The parts on either side of a space, and whether each part is a complete word. */
interface Sides {
  readonly left: string;
  readonly right: string;
  readonly wholeLeft: boolean;
  readonly wholeRight: boolean;
}

/**
 * Whether the edge of a word, two characters, decides if the word matches. A complete word must have no further characters,
 * which an edge shows only if the word has a single character.
 */
function fitsEdge(text: string, whole: boolean): boolean {
  return countCharacters(text) <= (whole ? 1 : 2);
}

function costOf({ sure, unsure }: Bridges): number {
  return sure.cost + unsure.cost;
}

type WordTest = (word: number) => boolean;

/** The words of a range; undefined if there are too many. */
function listRange([from, to]: Range): readonly number[] | undefined {
  return to - from > MAX_WORDS ? undefined : Array.from({ length: to - from }, (_, at) => from + at);
}

/** The number of spaces of a long phrase whose bridges are looked up. One of the first spaces is enough to find candidates. */
const MAX_BRIDGES = 100;
/** Adding up the lists of more words than this takes longer than using the bridge. */
const MAX_WORDS = 2_000;
const FEW_WORDS = 8;
/** Checking at most this many documents takes less time than looking for a shorter list. */
const FEW_DOCS = 64;
/** Checking the words of a document takes as long as reading this many documents of a list. */
const CHECK_COST = 8;

/** The range of sorted edges that equal the text or, unless `whole`, start with the text. */
function findEdges(count: number, edgeAt: (item: number) => string, text: string, whole: boolean): Range {
  const from = firstNotBelow(count, (item) => edgeAt(item) < text);
  let to = from;
  while (to < count && (whole ? edgeAt(to) === text : edgeAt(to).startsWith(text))) to++;
  return [from, to];
}
