import type { Match } from '../answer/lists.ts';
import type { Matcher } from '../answer/matcher.ts';
import { firstCharacters, lastCharacters } from '../characters.ts';
import { Marks } from '../marks.ts';
import type { EdgeTexts, MatchArrays } from '../search-index.ts';
import type { DocSet } from '../sets.ts';

/**
 * Broad fragments, such as `a`, `ltd` or `s l`, would have to unite long lists each time; their documents are stored. What a
 * fragment costs falls as it grows longer, so those above the bound are found by going down from single characters. With
 * them stored, no query unites lists of more than the bound for a name, nor for a number.
 */
export interface Broad {
  /** Documents that hold the fragment in their name or in a number. */
  readonly fragments: ReadonlyMap<string, DocSet>;
  /** Documents that hold it in a number: `0 (` is looked for as `0` there. */
  readonly numbers: ReadonlyMap<string, DocSet>;
}

export function findBroad(
  arrays: MatchArrays,
  edges: EdgeTexts,
  matcher: Matcher,
  docCount: number,
  bound: number,
): Broad {
  const marks = new Marks(docCount);
  const take = (): DocSet => {
    const set = marks.toSet();
    marks.clear();
    return set;
  };
  const names = findInWords(arrays, docCount, bound);
  for (const fragment of findAcrossWords(arrays, edges, bound)) {
    for (const match of matcher.matchName(fragment)) collect(marks, match);
    names.set(fragment, take());
  }
  const fragments = new Map<string, DocSet>();
  for (const [fragment, byName] of names) {
    const byNumber = matcher.matchNumber(fragment);
    if (byNumber.cost > 0) {
      marks.addSet(byName);
      collect(marks, byNumber);
    }
    fragments.set(fragment, byNumber.cost > 0 ? take() : byName);
  }
  const numbers = new Map<string, DocSet>();
  for (const fragment of findInNumbers(arrays, bound)) {
    collect(marks, matcher.matchNumber(fragment));
    numbers.set(fragment, take());
  }
  return { fragments, numbers };
}

/** Adds what matches, checked. */
function collect(marks: Marks, { ranges, docs, check }: Match): void {
  for (let index = 0; index < ranges.length; index += 2) {
    const from = ranges[index] as number;
    const to = ranges[index + 1] as number;
    if (check === undefined) marks.addRange(docs, from, to);
    else for (let at = from; at < to; at++) if (check(docs[at] as number)) marks.add(docs[at] as number);
  }
}

/** Going to one more list costs as much as reading so many documents of it. */
const LIST_COST = 8;

/**
 * Walks the suffix array as a tree, deepest fragments first: a fragment's documents are those of its continuations, of
 * which the broad ones are there already.
 */
function findInWords(arrays: MatchArrays, docCount: number, bound: number): Map<string, DocSet> {
  const { vocabularyText, vocabularyStarts, suffixWord, suffixOffset, wordDocs, wordDocsStarts } = arrays;
  const found = new Map<string, DocSet>();
  const text = Buffer.from(vocabularyText.buffer);
  const costs = addUpCosts(suffixWord, wordDocsStarts);
  const levels: Marks[] = [];
  const isBroad = (from: number, to: number) => (costs[to] as number) - (costs[from] as number) > bound;
  const startOf = (suffix: number) =>
    (vocabularyStarts[suffixWord[suffix] as number] as number) + (suffixOffset[suffix] as number);

  /** Where the suffixes that go on like the first of the range end. */
  function endOfAlike(from: number, to: number, depth: number): number {
    const byte = vocabularyText[startOf(from) + depth];
    let low = from + 1;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (vocabularyText[startOf(middle) + depth] === byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** All suffixes in the range are alike in `depth` bytes. Leaves their documents in the marks of the level. */
  function visit(from: number, to: number, startDepth: number, level: number): Marks {
    levels[level] ??= new Marks(docCount);
    const marks = levels[level];
    marks.clear();
    // As long as all go on alike, the fragments have the same documents.
    let depth = startDepth;
    const aliases: string[] = [];
    const note = () => {
      if (depth > 0 && endsCharacter(depth)) aliases.push(text.toString('utf8', startOf(from), startOf(from) + depth));
    };
    const endsCharacter = (length: number) => ((vocabularyText[startOf(from) + length] as number) & 0xc0) !== 0x80;
    note();
    while (vocabularyText[startOf(from) + depth] !== 0 && endOfAlike(from, to, depth) === to) {
      depth++;
      note();
    }
    for (let start = from; start < to; ) {
      const end = endOfAlike(start, to, depth);
      const goesOn = vocabularyText[startOf(start) + depth] !== 0;
      if (goesOn && isBroad(start, end)) marks.addSet(visit(start, end, depth + 1, level + 1).asSet());
      else {
        for (let suffix = start; suffix < end; suffix++) {
          const word = suffixWord[suffix] as number;
          marks.addRange(wordDocs, wordDocsStarts[word] as number, wordDocsStarts[word + 1] as number);
        }
      }
      start = end;
    }
    if (aliases.length > 0) {
      const set = marks.toSet();
      for (const fragment of aliases) found.set(fragment, set);
    }
    return marks;
  }

  for (let from = 0; from < suffixWord.length; ) {
    const to = endOfAlike(from, suffixWord.length, 0);
    if (isBroad(from, to)) visit(from, to, 1, 0);
    from = to;
  }
  return found;
}

function addUpCosts(suffixWord: Uint32Array, wordDocsStarts: Uint32Array): Float64Array {
  const costs = new Float64Array(suffixWord.length + 1);
  for (let suffix = 0; suffix < suffixWord.length; suffix++) {
    const word = suffixWord[suffix] as number;
    const length = (wordDocsStarts[word + 1] as number) - (wordDocsStarts[word] as number);
    costs[suffix + 1] = (costs[suffix] as number) + length + LIST_COST;
  }
  return costs;
}

/** One or two characters on either side of a space. */
function findAcrossWords(
  { bridgeTails, bridgeTailsStarts, bridgeGroups, bridgeDocsStarts }: MatchArrays,
  { heads, tails }: EdgeTexts,
  bound: number,
): string[] {
  const costs = new Map<string, number>();
  const firsts = heads.map((head) => beginnings(head));
  const lasts = tails.map((tail) => endings(tail));
  for (const [head, starts] of firsts.entries()) {
    for (let at = bridgeTailsStarts[head] as number; at < (bridgeTailsStarts[head + 1] as number); at++) {
      const [from, to] = [bridgeGroups[at] as number, bridgeGroups[at + 1] as number];
      const length = (bridgeDocsStarts[to] as number) - (bridgeDocsStarts[from] as number);
      for (const end of lasts[bridgeTails[at] as number] ?? []) {
        for (const start of starts) {
          const fragment = `${end} ${start}`;
          costs.set(fragment, (costs.get(fragment) ?? 0) + length + LIST_COST);
        }
      }
    }
  }
  return [...costs].filter(([, cost]) => cost > bound).map(([fragment]) => fragment);
}

function beginnings(head: string): string[] {
  const first = [...head][0] ?? '';
  return first === head ? [head] : [first, firstCharacters(head)];
}

function endings(tail: string): string[] {
  const last = [...tail].at(-1) ?? '';
  return last === tail ? [tail] : [last, lastCharacters(tail)];
}

/** Up to four bytes: what the grams that begin with them add up to. */
function findInNumbers({ grams, gramDocsStarts }: MatchArrays, bound: number): string[] {
  const found: string[] = [];
  const bytes = Buffer.alloc(4);
  for (let length = 1; length <= 4; length++) {
    const size = 2 ** (8 * (4 - length));
    for (let from = 0; from < grams.length; ) {
      const prefix = Math.floor((grams[from] as number) / size);
      let to = from + 1;
      while (to < grams.length && Math.floor((grams[to] as number) / size) === prefix) to++;
      const cost = (gramDocsStarts[to] as number) - (gramDocsStarts[from] as number) + LIST_COST * (to - from);
      bytes.writeUInt32BE(grams[from] as number);
      const whole = bytes.subarray(0, length);
      // Grams of the end of a number are padded, and a prefix may end inside a character: neither is a fragment.
      if (cost > bound && !whole.includes(0) && Buffer.from(whole.toString()).equals(whole))
        found.push(whole.toString());
      from = to;
    }
  }
  return found;
}
