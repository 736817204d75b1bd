import { countCharacters, firstCharacters, lastCharacters, reverse } from '../characters.ts';
import type { EdgeTexts, MatchArrays } from '../search-index.ts';
import { addRange, type Match } from './lists.ts';
import { ANY_WORD, firstNotBelow, NO_WORD, type Range, type Words } from './words.ts';

/**
 * Fragments that reach across words: the first part is the end of a word, the last the beginning of one, those between are
 * whole. Bridges (`bridges.ts`) tell where a word with such an end is followed by one with such a beginning. Where the parts
 * are no longer than the edges of a bridge, or its words are known, that is the answer; otherwise the words of the documents
 * are looked at, beginning with the shortest lists at hand.
 */
export function createPhraseMatcher(
  arrays: MatchArrays,
  { heads, tails }: EdgeTexts,
  vocabulary: Words,
): (parts: readonly string[]) => Match[] {
  const { words, wordsStarts, wordDocs, wordDocsStarts, bridgeTails, bridgeTailsStarts } = arrays;
  const { bridgeGroups, pairLeft, pairRight, bridgeDocs, bridgeDocsStarts } = arrays;

  function matchPhrase(parts: readonly string[]): Match[] {
    const last = parts.length - 1;
    const ending = Buffer.from(parts[0] as string);
    const middle = parts.slice(1, last).map((part) => vocabulary.findWord(Buffer.from(part)));
    const beginning = vocabulary.findWords(Buffer.from(parts[last] as string));
    if (beginning[0] === beginning[1] || middle.includes(NO_WORD)) return [];

    const endsRight = endingTest(ending);
    // What the words on either side of each space have to be.
    const lefts = [endsRight, ...middle.map((word) => (other: number) => other === word)];
    const rights = [...middle.map((word): Range => [word, word + 1]), beginning];
    const bridges = lefts.map((isLeft, at) => {
      const sides = {
        left: parts[at] as string,
        right: parts[at + 1] as string,
        wholeLeft: at > 0,
        wholeRight: at + 1 < last,
      };
      return listBridges(findBridges(sides), sides, isLeft, rights[at] as Range);
    });
    const [only] = bridges;

    const candidates = [
      ...bridges.map(({ sure, unsure }) => join(sure, unsure)),
      ...rights.map(([from, to]) => (to - from > MOST_WORDS ? undefined : listWords(from, to))),
      listEndings(ending),
    ].filter((match) => match !== undefined);
    const cheapest = candidates.reduce((best, match) => (match.cost < best.cost ? match : best));
    const check = phraseTest(endsRight, middle, beginning);
    if (
      last === 1 &&
      only !== undefined &&
      only.sure.cost + only.unsure.cost * CHECK_COST < cheapest.cost * CHECK_COST
    ) {
      return [only.sure, { ...only.unsure, check }];
    }
    return [{ ...cheapest, check }];
  }

  /** Comparing numbers is faster than comparing text, as long as they are few. */
  function endingTest(ending: Uint8Array): (word: number) => boolean {
    const few = vocabulary.findEnding(ending, FEW_WORDS);
    if (few === undefined) return (word) => vocabulary.endsWith(word, ending);
    const [only] = few;
    return few.length < 2 ? (word) => word === only : (word) => few.includes(word);
  }

  /** Bridges between a word that ends like `left`, or is it, and one that begins like `right`, or is it. */
  function findBridges({ left, right, wholeLeft, wholeRight }: Sides): number[] {
    const head = firstCharacters(right);
    const tail = reverse(lastCharacters(left));
    const [headFrom, headTo] = findEdges(heads, head, wholeRight || countCharacters(head) === 2);
    const [tailFrom, tailTo] = findEdges(tails, tail, wholeLeft || countCharacters(tail) === 2, reverse);
    const found: number[] = [];
    for (let edge = headFrom; edge < headTo; edge++) {
      const start = bridgeTailsStarts[edge] as number;
      const end = bridgeTailsStarts[edge + 1] as number;
      let at = start + firstNotBelow(end - start, (item) => (bridgeTails[start + item] as number) < tailFrom);
      for (; at < end && (bridgeTails[at] as number) < tailTo; at++) found.push(at);
    }
    return found;
  }

  /** Each group is out, or in with all its documents, or not sure: its words differ in what is asked for. */
  function listBridges(
    bridges: readonly number[],
    sides: Sides,
    isLeft: (word: number) => boolean,
    [lowest, tooHigh]: Range,
  ): { readonly sure: Match; readonly unsure: Match } {
    const leftFits = fitsEdge(sides.left, sides.wholeLeft);
    const rightFits = fitsEdge(sides.right, sides.wholeRight);
    const sure: number[] = [];
    const unsure: number[] = [];
    let sureCost = 0;
    let unsureCost = 0;
    for (const bridge of bridges) {
      for (let group = bridgeGroups[bridge] as number; group < (bridgeGroups[bridge + 1] as number); group++) {
        const left = pairLeft[group] as number;
        const right = pairRight[group] as number;
        if (right !== ANY_WORD && (right < lowest || right >= tooHigh)) continue;
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

  function join(a: Match, b: Match): Match {
    return { ranges: [...a.ranges, ...b.ranges], docs: a.docs, cost: a.cost + b.cost };
  }

  /** Undefined if one of the words is so frequent that it has no list. */
  function listWords(from: number, to: number): Match | undefined {
    return listEach(Array.from({ length: to - from }, (_, at) => from + at));
  }

  function listEndings(ending: Uint8Array): Match | undefined {
    const found = vocabulary.findEnding(ending, MOST_WORDS);
    return found && listEach(found);
  }

  function listEach(found: readonly number[]): Match | undefined {
    const ranges: number[] = [];
    let cost = 0;
    for (const word of found) {
      const length = addRange(ranges, wordDocsStarts, word);
      if (length === 0) return undefined;
      cost += length;
    }
    return { ranges, docs: wordDocs, cost };
  }

  function phraseTest(
    endsRight: (word: number) => boolean,
    middle: readonly number[],
    [lowest, tooHigh]: Range,
  ): (doc: number) => boolean {
    const gap = middle.length;
    return (doc) => {
      const end = wordsStarts[doc + 1] as number;
      for (let at = (wordsStarts[doc] as number) + gap + 1; at < end; at++) {
        const word = words[at] as number;
        if (word < lowest || word >= tooHigh || !endsRight(words[at - gap - 1] as number)) continue;
        let place = 0;
        while (place < gap && words[at - gap + place] === middle[place]) place++;
        if (place === gap) return true;
      }
      return false;
    };
  }

  return matchPhrase;
}

/** What stands on either side of a space, and whether that is the whole word. */
interface Sides {
  readonly left: string;
  readonly right: string;
  readonly wholeLeft: boolean;
  readonly wholeRight: boolean;
}

/** Whether the edge of a word tells all that is asked of it. Only a word of one character is as short as its edge. */
function fitsEdge(text: string, whole: boolean): boolean {
  return countCharacters(text) <= (whole ? 1 : 2);
}

/** More words than this are not worth adding up: a bridge is cheaper. */
const MOST_WORDS = 2_000;
const FEW_WORDS = 8;
/** Looking at the words of a document takes as long as reading so many documents of a list. */
const CHECK_COST = 8;

/** The edges that are the text, or that begin with it. Sorted by what `keyOf` makes of them. */
function findEdges(
  edges: readonly string[],
  text: string,
  whole: boolean,
  keyOf: (edge: string) => string = (edge) => edge,
): Range {
  const from = firstNotBelow(edges.length, (item) => keyOf(edges[item] as string) < text);
  const fits = (edge: string) => (whole ? keyOf(edge) === text : keyOf(edge).startsWith(text));
  let to = from;
  while (to < edges.length && fits(edges[to] as string)) to++;
  return [from, to];
}
