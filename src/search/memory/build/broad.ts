import { parseNumberFragment } from '../../../base/search-keys.ts';
import { isPadded } from '../answer/match-number.ts';
import type { Matcher } from '../answer/matcher.ts';
import { firstNotBelow } from '../answer/words.ts';
import type { MatchArrays } from '../search-index.ts';
import { type DocSet, Marks } from '../sets.ts';
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
 * `names` is the result of `findInWords`. Returns `fragments`, which documents contain in their name or in a number, and
 * `numbers`, which documents contain in a number: a fragment may be broad in numbers but not in names.
 */
export function findBroad(
  names: Map<string, DocSet>,
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
  for (const fragment of findAcrossWords(arrays, edges, threshold)) {
    for (const match of matcher.matchName(fragment)) marks.addMatch(match);
    names.set(fragment, take());
  }
  const fragments = new Map<string, DocSet>();
  for (const [fragment, byName] of names) {
    const byNumber = matcher.matchNumber(parseNumberFragment(fragment));
    if (byNumber.cost > 0) {
      marks.addSet(byName);
      marks.addMatch(byNumber);
    }
    fragments.set(fragment, byNumber.cost > 0 ? take() : byName);
  }
  const numbers = new Map<string, DocSet>();
  for (const fragment of findInNumbers(arrays, threshold)) {
    marks.addMatch(matcher.matchNumber(parseNumberFragment(fragment)));
    numbers.set(fragment, take());
  }
  return { fragments, numbers };
}

export type WordArrays = Pick<
  MatchArrays,
  'vocabularyText' | 'vocabularyStarts' | 'suffixWord' | 'suffixOffset' | 'wordDocs' | 'wordDocsStarts'
>;

/**
 * Finds broad fragments inside words. The sorted suffixes form a tree: the suffixes that start with a fragment are a
 * range, and each next byte divides it into smaller ranges. The tree is walked depth first, because the documents of a
 * fragment are the union of the documents of its continuations, and the broad continuations have just been collected.
 */
export function findInWords(arrays: WordArrays, docCount: number, threshold: number): Map<string, DocSet> {
  const { vocabularyText, vocabularyStarts, suffixWord, suffixOffset, wordDocs, wordDocsStarts } = arrays;
  const found = new Map<string, DocSet>();
  const text = Buffer.from(vocabularyText.buffer);
  const costs = addUpCosts(suffixWord, wordDocsStarts);
  // Each level of the recursion has its own marks: a parent adds to its marks while its children use other marks.
  const levels: Marks[] = [];
  const isBroad = (from: number, to: number) => (costs[to] as number) - (costs[from] as number) > threshold;
  const startOf = (suffix: number) =>
    (vocabularyStarts[suffixWord[suffix] as number] as number) + (suffixOffset[suffix] as number);

  /** The end of the suffixes whose byte at `depth` equals this byte of the first suffix of the range. */
  function endOfSameByte(from: number, to: number, depth: number): number {
    const byte = vocabularyText[startOf(from) + depth];
    return firstNotBelow(to, (suffix) => vocabularyText[startOf(suffix) + depth] === byte, from + 1);
  }

  /** Divides a range of suffixes that share their first bytes. */
  function divide(from: number, to: number, startDepth: number): Divided {
    // As long as all suffixes continue with one byte, the longer fragment has the documents of the shorter one and
    // shares its set.
    let depth = startDepth;
    const fragments: string[] = [];
    const addFragment = () => {
      if (endsCharacter(depth)) fragments.push(text.toString('utf8', startOf(from), startOf(from) + depth));
    };
    const endsCharacter = (length: number) => ((vocabularyText[startOf(from) + length] as number) & 0xc0) !== 0x80;
    addFragment();
    while (vocabularyText[startOf(from) + depth] !== 0 && endOfSameByte(from, to, depth) === to) {
      depth++;
      addFragment();
    }
    const others: Range[] = [];
    let largest: Range | undefined;
    for (let start = from; start < to; ) {
      const end = endOfSameByte(start, to, depth);
      const range = {
        from: start,
        to: end,
        isBroad: vocabularyText[startOf(start) + depth] !== 0 && isBroad(start, end),
      };
      if (range.isBroad && (largest === undefined || end - start > largest.to - largest.from)) {
        if (largest !== undefined) others.push(largest);
        largest = range;
      } else others.push(range);
      start = end;
    }
    return { fragments, depth, others, largest };
  }

  /**
   * Visits a range of suffixes that share their first bytes. Returns their documents in the marks of the level. The largest
   * part of each range is visited in a loop, and uses the marks of the range. Only the other parts are visited by recursion:
   * each has at most half of the suffixes, so the depth of the recursion does not grow with the length of names.
   */
  function visit(from: number, to: number, startDepth: number, level: number): Marks {
    levels[level] ??= new Marks(docCount);
    const marks = levels[level];
    marks.clear();
    const path = [divide(from, to, startDepth)];
    for (let { largest, depth } = path[0] as Divided; largest !== undefined; ) {
      const part = divide(largest.from, largest.to, depth + 1);
      path.push(part);
      ({ largest, depth } = part);
    }
    for (const { fragments, depth, others } of path.reverse()) {
      for (const { from, to, isBroad } of others) {
        if (isBroad) marks.addSet(visit(from, to, depth + 1, level + 1).asSet());
        else addDocuments(marks, from, to);
      }
      if (fragments.length > 0) {
        const set = marks.toSet();
        for (const fragment of fragments) found.set(fragment, set);
      }
    }
    return marks;
  }

  function addDocuments(marks: Marks, from: number, to: number): void {
    for (let suffix = from; suffix < to; suffix++) {
      const word = suffixWord[suffix] as number;
      marks.addRange(wordDocs, wordDocsStarts[word] as number, wordDocsStarts[word + 1] as number);
    }
  }

  for (let from = 0; from < suffixWord.length; ) {
    const to = endOfSameByte(from, suffixWord.length, 0);
    if (isBroad(from, to)) visit(from, to, 1, 0);
    from = to;
  }
  return found;
}

/** A range of suffixes that have one common next byte. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly isBroad: boolean;
}

interface Divided {
  /** The fragments with which all suffixes of the range start. */
  readonly fragments: readonly string[];
  /** The length in bytes of the longest fragment. */
  readonly depth: number;
  /** The largest part that is broad. */
  readonly largest: Range | undefined;
  readonly others: readonly Range[];
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
 * Finds broad fragments of up to four bytes in numbers. A fragment is the beginning of a range of grams, whose lengths of lists are added
 * up. A fragment of one or two bytes may also be inside a gram at the end of a number.
 */
function findInNumbers({ grams, gramDocsStarts }: MatchArrays, threshold: number): string[] {
  const found: string[] = [];
  const bytes = Buffer.alloc(4);
  const take = (prefix: number, length: number, cost: number) => {
    if (cost <= threshold) return;
    bytes.writeUIntBE(prefix, 0, length);
    const fragment = bytes.subarray(0, length);
    // A gram at the end of a number is padded with zeros, and a prefix may end inside a character. Neither is a fragment.
    if (!fragment.includes(0) && Buffer.from(fragment.toString()).equals(fragment)) found.push(fragment.toString());
  };
  const costOf = (from: number, to: number) =>
    (gramDocsStarts[to] as number) - (gramDocsStarts[from] as number) + LIST_COST * (to - from);

  for (const length of [1, 2]) {
    const costs = new Float64Array(2 ** (8 * length));
    for (const [number, gram] of grams.entries()) {
      for (let end = length; end <= (isPadded(gram) ? 3 : length); end++) {
        const part = (gram >>> (32 - 8 * end)) & (costs.length - 1);
        costs[part] = (costs[part] as number) + costOf(number, number + 1);
      }
    }
    for (const [part, cost] of costs.entries()) take(part, length, cost);
  }
  for (const length of [3, 4]) {
    const size = 2 ** (8 * (4 - length));
    for (let from = 0; from < grams.length; ) {
      const prefix = Math.floor((grams[from] as number) / size);
      let to = from + 1;
      while (to < grams.length && Math.floor((grams[to] as number) / size) === prefix) to++;
      take(prefix, length, costOf(from, to));
      from = to;
    }
  }
  return found;
}

/** Starting to read a list costs as much as reading this many documents. */
const LIST_COST = 8;

type BridgeArrays = Pick<MatchArrays, 'bridgeTails' | 'bridgeTailsStarts' | 'bridgeGroups' | 'bridgeDocsStarts'>;

/**
 * Finds broad fragments across two words, with one or two characters on either side of the space. Longer fragments need not
 * be stored: the matcher answers these from groups of bridges, or checks the candidates of a shorter list.
 *
 * A fragment with two characters on both sides is one bridge. Any other fragment adds up several bridges: heads with equal
 * first characters are neighbours, so that only the sums of one first character are needed at a time.
 */
function findAcrossWords(
  arrays: BridgeArrays,
  { heads, tails }: Pick<WordEdges, 'heads' | 'tails'>,
  threshold: number,
): string[] {
  const { bridgeTails, bridgeTailsStarts, bridgeGroups, bridgeDocsStarts } = arrays;
  const firsts = heads.map((head) => [...head][0] as string);
  const lasts = tails.map((tail) => [...tail].at(-1) as string);
  const lastTexts = [...new Set(lasts)];
  const lastNumbers = new Map(lastTexts.map((text, number) => [text, number]));
  const lastOf = Uint32Array.from(lasts, (text) => lastNumbers.get(text) as number);
  const found: string[] = [];
  const take = (end: string, start: string, cost: number) => {
    if (cost > threshold) found.push(`${end} ${start}`);
  };
  const lastToFirst = new Float64Array(lastTexts.length);
  const tailToFirst = new Float64Array(tails.length);
  const lastToHead = new Float64Array(lastTexts.length);

  for (const [head, start] of heads.entries()) {
    const first = firsts[head] as string;
    // A head of a single character is not a fragment of its own: the sums of its first character include this head.
    const isWhole = start !== first;
    for (let at = bridgeTailsStarts[head] as number; at < (bridgeTailsStarts[head + 1] as number); at++) {
      const [from, to] = [bridgeGroups[at] as number, bridgeGroups[at + 1] as number];
      const cost = (bridgeDocsStarts[to] as number) - (bridgeDocsStarts[from] as number) + LIST_COST;
      const tail = bridgeTails[at] as number;
      const last = lastOf[tail] as number;
      increase(lastToFirst, last, cost);
      increase(lastToHead, last, cost);
      increase(tailToFirst, tail, cost);
      if (isWhole && tails[tail] !== lasts[tail]) take(tails[tail] as string, start, cost);
    }
    takeSums(lastToHead, (last, cost) => isWhole && take(lastTexts[last] as string, start, cost));
    if (firsts[head + 1] === first) continue;
    takeSums(lastToFirst, (last, cost) => take(lastTexts[last] as string, first, cost));
    takeSums(tailToFirst, (tail, cost) => tails[tail] !== lasts[tail] && take(tails[tail] as string, first, cost));
  }
  return found;
}

function increase(sums: Float64Array, at: number, cost: number): void {
  sums[at] = (sums[at] as number) + cost;
}

/** Passes the sums that are not 0 to `take`, and sets them to 0. */
function takeSums(sums: Float64Array, take: (number: number, sum: number) => unknown): void {
  for (let number = 0; number < sums.length; number++) {
    if (sums[number] !== 0) take(number, sums[number] as number);
  }
  sums.fill(0);
}
