import { parseNumberFragment } from '../../../base/search-keys.ts';
import { addCount } from '../../choices.ts';
import { listWords } from '../../words.ts';
import { isPadded } from '../answer/match-number.ts';
import type { Matcher } from '../answer/matcher.ts';
import { createWords, firstNotBelow, type WordArrays } from '../answer/words.ts';
import type { MatchArrays } from '../search-index.ts';
import { type DocSet, Marks, NO_DOCS } from '../sets.ts';
import type { Offsets } from '../shared-arrays.ts';
import type { WordEdges } from './bridges.ts';

/**
 * Broad fragments, such as `a`, `ltd` or `s l`, are fragments whose posting lists are together longer than a threshold. Every
 * query would have to unite these lists, so the documents are stored as sets. Then no query reads more documents from lists
 * than the threshold, once for names and once for numbers.
 *
 * There is no need to try all fragments: a fragment has at most the documents of any shorter fragment that it extends. So
 * the search starts at single characters and extends only fragments above the threshold.
 *
 * `words` has the broad fragments inside words. Returns `fragments`, which documents contain in their name or in a number, and
 * `numbers`, which documents contain in a number and which are not among `fragments`.
 */
export function findBroad(
  words: ReadonlyMap<string, BroadWord>,
  arrays: MatchArrays,
  edges: Pick<WordEdges, 'heads' | 'tails'>,
  matcher: Matcher,
  docCount: number,
  threshold: number,
) {
  const marks = new Marks(docCount);
  const take = (): DocSet => {
    const set = marks.toSet();
    marks.clear();
    return set;
  };
  const fragments = new Map(words);
  for (const fragment of findAcrossWords(arrays, edges, threshold)) {
    for (const match of matcher.matchName(fragment)) marks.addMatch(match);
    fragments.set(fragment, { inside: take(), start: NO_DOCS, whole: NO_DOCS });
  }
  for (const [fragment, word] of fragments) {
    const byNumber = matcher.matchNumber(parseNumberFragment(fragment));
    if (byNumber.cost === 0) continue;
    marks.addSet(word.inside);
    marks.addMatch(byNumber);
    fragments.set(fragment, { ...word, inside: take() });
  }
  const numbers = new Map<string, DocSet>();
  for (const fragment of findInNumbers(arrays, threshold)) {
    // The set of a fragment that is broad in names includes the documents with the fragment in a number.
    if (fragments.has(fragment)) continue;
    marks.addMatch(matcher.matchNumber(parseNumberFragment(fragment)));
    numbers.set(fragment, take());
  }
  return { fragments, numbers };
}

/** The documents that contain a broad fragment, that have a word which starts with it, and that have it as a whole word. */
export interface BroadWord {
  readonly inside: DocSet;
  readonly start: DocSet;
  readonly whole: DocSet;
}

/** Finds the broad fragments inside words. If two of the three sets are equal, they are one object. */
export function findBroadWords(arrays: WordArrays, docCount: number, threshold: number): Map<string, BroadWord> {
  const { matchStart, matchWhole } = createWords(arrays);
  const marks = new Marks(docCount);
  const choose = (larger: DocSet): DocSet => {
    if (marks.size === 0) return NO_DOCS;
    return marks.size === larger.size ? larger : marks.toSet();
  };
  const found = new Map<string, BroadWord>();
  for (const [fragment, inside] of findInWords(arrays, docCount, threshold)) {
    marks.clear();
    let [start, whole] = [NO_DOCS, NO_DOCS];
    if (listWords(fragment)[0] === fragment) {
      const bytes = Buffer.from(fragment);
      marks.addMatch(matchWhole(bytes));
      whole = choose(inside);
      marks.addMatch(matchStart(bytes));
      start = marks.size === whole.size ? whole : choose(inside);
    }
    found.set(fragment, { inside, start, whole });
  }
  return found;
}

/**
 * Finds broad fragments inside words. The sorted suffixes form a tree: the suffixes that start with a fragment are a range, and each next
 * byte divides it into smaller ranges.
 */
function findInWords(arrays: WordArrays, docCount: number, threshold: number): Map<string, DocSet> {
  const { vocabularyText, vocabularyStarts, suffixWord, suffixOffset, wordDocs, wordDocsStarts } = arrays;
  const found = new Map<string, DocSet>();
  const text = Buffer.from(vocabularyText.buffer);
  const costs = addUpCosts(suffixWord, wordDocsStarts);
  const marks = new Marks(docCount);
  /** Ranges of suffixes that share their first bytes, and the number of these bytes. A stack, because a recursion could be too deep. */
  const ranges: { readonly from: number; readonly to: number; readonly depth: number }[] = [];
  const byteAt = (suffix: number, depth: number) =>
    vocabularyText[
      (vocabularyStarts[suffixWord[suffix] as number] as number) + (suffixOffset[suffix] as number) + depth
    ] as number;

  /** The end of the suffixes whose byte at `depth` equals this byte of the first suffix of the range. */
  function endOfSameByte(from: number, to: number, depth: number): number {
    const byte = byteAt(from, depth);
    return firstNotBelow(to, (suffix) => byteAt(suffix, depth) === byte, from + 1);
  }

  /** Divides a range by the next byte, and keeps the broad parts. */
  function divide(from: number, to: number, depth: number): void {
    for (let start = from; start < to; ) {
      const end = endOfSameByte(start, to, depth);
      const isBroad = (costs[end] as number) - (costs[start] as number) > threshold;
      if (byteAt(start, depth) !== 0 && isBroad) ranges.push({ from: start, to: end, depth: depth + 1 });
      start = end;
    }
  }

  function findDocuments(from: number, to: number): DocSet {
    marks.clear();
    for (let suffix = from; suffix < to; suffix++) {
      const word = suffixWord[suffix] as number;
      marks.addRange(wordDocs, wordDocsStarts[word] as number, wordDocsStarts[word + 1] as number);
    }
    return marks.toSet();
  }

  divide(0, suffixWord.length, 0);
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const { from, to } = range;
    const set = findDocuments(from, to);
    const start = (vocabularyStarts[suffixWord[from] as number] as number) + (suffixOffset[from] as number);
    // As long as all suffixes continue with one byte, the longer fragment has the documents of the shorter one and shares its set.
    let { depth } = range;
    for (; ; depth++) {
      const next = byteAt(from, depth);
      const endsCharacter = (next & 0xc0) !== 0x80;
      if (endsCharacter) found.set(text.toString('utf8', start, start + depth), set);
      if (next === 0 || endOfSameByte(from, to, depth) < to) break;
    }
    divide(from, to, depth);
  }
  return found;
}

/** Returns sums of costs: the cost of a range of suffixes is the difference of two sums. */
function addUpCosts(suffixWord: Uint32Array, wordDocsStarts: Offsets): Float64Array {
  const costs = new Float64Array(suffixWord.length + 1);
  for (let suffix = 0; suffix < suffixWord.length; suffix++) {
    const word = suffixWord[suffix] as number;
    const length = (wordDocsStarts[word + 1] as number) - (wordDocsStarts[word] as number);
    costs[suffix + 1] = (costs[suffix] as number) + length + LIST_COST;
  }
  return costs;
}

/**
 * Finds broad fragments of up to four bytes in numbers. A fragment is the beginning of some grams, whose lengths of lists are added up. A
 * fragment of one or two bytes may also be inside a gram at the end of a number.
 */
function findInNumbers({ grams, gramDocsStarts }: MatchArrays, threshold: number): string[] {
  const costs = new Map<string, number>();
  const bytes = Buffer.alloc(4);
  for (const [number, gram] of grams.entries()) {
    bytes.writeUInt32BE(gram);
    const cost = (gramDocsStarts[number + 1] as number) - (gramDocsStarts[number] as number) + LIST_COST;
    for (let length = 1; length <= 4; length++) {
      const last = length < 3 && isPadded(gram) ? 3 : length;
      for (let end = length; end <= last; end++) addCount(costs, bytes.toString('latin1', end - length, end), cost);
    }
  }
  return listBroad(costs, threshold).flatMap((part) => {
    const fragment = Buffer.from(part, 'latin1');
    // A gram at the end of a number is padded with zeros, and a prefix may end inside a character. Neither is a fragment.
    const isFragment = !fragment.includes(0) && Buffer.from(fragment.toString()).equals(fragment);
    return isFragment ? fragment.toString() : [];
  });
}

function listBroad(costs: ReadonlyMap<string, number>, threshold: number): string[] {
  return [...costs].flatMap(([fragment, cost]) => (cost > threshold ? fragment : []));
}

/** Starting to read a list costs as much as reading this many documents. */
const LIST_COST = 8;

type BridgeArrays = Pick<MatchArrays, 'bridgeTails' | 'bridgeTailsStarts' | 'bridgeGroups' | 'bridgeDocsStarts'>;

/**
 * Finds broad fragments across two words, with one or two characters on either side of the space. Longer fragments need not
 * be stored: the matcher answers these from groups of bridges, or checks the candidates of a shorter list.
 */
function findAcrossWords(
  arrays: BridgeArrays,
  { heads, tails }: Pick<WordEdges, 'heads' | 'tails'>,
  threshold: number,
): string[] {
  const { bridgeTails, bridgeTailsStarts, bridgeGroups, bridgeDocsStarts } = arrays;
  const costs = new Map<string, number>();
  // An edge of two characters also counts for its outermost character.
  const starts = heads.map((head) => [...new Set([head, [...head][0]])]);
  const ends = tails.map((tail) => [...new Set([tail, [...tail].at(-1)])]);
  for (const [head, beginnings] of starts.entries()) {
    for (let at = bridgeTailsStarts[head] as number; at < (bridgeTailsStarts[head + 1] as number); at++) {
      const [from, to] = [bridgeGroups[at] as number, bridgeGroups[at + 1] as number];
      const cost = (bridgeDocsStarts[to] as number) - (bridgeDocsStarts[from] as number) + LIST_COST;
      for (const end of ends[bridgeTails[at] as number] as string[])
        for (const start of beginnings) addCount(costs, `${end} ${start}`, cost);
    }
  }
  return listBroad(costs, threshold);
}
