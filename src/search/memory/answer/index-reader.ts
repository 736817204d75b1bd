import { fold } from '../../../base/fold.ts';
import { hashName } from '../../other-names.ts';
import { MIN_NUMBER } from '../../words.ts';
import { findByHash } from '../hash-table.ts';
import type { MatchPart } from '../match/match-part.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import { type DocSet, Marks, type Match, takeDocs, toListSet } from '../sets.ts';
import {
  type AnyOf,
  type Condition,
  findShortest,
  fulfils,
  keepAll,
  listBeside,
  mainOf,
  onlySetOf,
  sizeOf,
} from './blocks.ts';
import { BlockHits, countBlocks, type Hits, hitsOf, ListHits, type LiveSets, NO_HITS } from './hits.ts';
import { divideLists, keepPassing, leaveOut, uniteLists, uniteSorted } from './lists.ts';
import { createMatcher } from './matcher.ts';
import type { SetFinder } from './set-finder.ts';
import type { Fragment, Terms } from './terms.ts';
import { countCharacters, createWords, type Words } from './words.ts';

/**
 * Finds the documents of one index. The reader depends only on the index, so it is created once and used for every version of
 * the data that the index is a part of. The hidden documents are a parameter of each query.
 */
export function createIndexReader(index: SearchIndex, sets: SetFinder) {
  const { arrays, texts, entities } = index;
  const matcher = createMatcher(arrays, texts);
  const countryOf = arrays['summary.countryCode'];
  // Scratch memory, reused by every query. Queries are synchronous, so only one uses it at a time.
  const marks = new Marks(entities);
  const scratch = new Uint32Array(entities);
  const kinds = [arrays, ...aliasKinds.map((kind) => aliasArraysOf(arrays, kind))].map(createWords);
  /** The sets of the words of a query. Weak, so that they are dropped with the query. */
  const known = new WeakMap<Terms, readonly TermSets[]>();

  function matchFragment(fragment: Fragment): Found {
    const stored = sets.findBroad(fragment.folded);
    // The stored set of a broad fragment includes documents with the fragment in a number.
    const found = stored === undefined ? matchNumbers(fragment) : { stored, matches: matchVat(fragment) };
    const byName = stored === undefined ? matcher.matchName(fragment.folded) : [];
    return { stored: found.stored, matches: [...byName, ...found.matches].filter(({ cost }) => cost > 0) };
  }

  function matchNumbers(fragment: Fragment): Found {
    const stored = sets.findBroadNumber(fragment.number.text);
    const matches = stored === undefined ? [matcher.matchNumber(fragment.number)] : [];
    return { stored, matches: [...matches, ...matchVat(fragment)] };
  }

  /** Finds the companies of a country by a VAT number that contains their national number. */
  function matchVat({ vat }: Fragment): Match[] {
    const country = vat === undefined ? -1 : texts.columns.countryCode.indexOf(vat.country);
    return vat === undefined || country === -1
      ? []
      : [matcher.matchWholeNumber(vat.number, (doc) => countryOf[doc] === country)];
  }

  function findWords(terms: Terms): readonly TermSets[] {
    return known.getOrInsertComputed(terms, () => terms.words.map(findWord));
  }

  function findWord(word: Fragment): TermSets {
    const bytes = Buffer.from(word.folded);
    const stored = sets.broadWords.map((find) => find(word.folded));
    const names = (kind: number, place: Place): readonly DocSet[] => {
      const set = stored[kind]?.[place];
      if (set !== undefined) return [set];
      const lists = divideLists((kinds[kind] as Words)[MATCHES[place]](bytes), emptyMarks());
      return lists.length === 0 ? [marks.toSet()] : lists.map(toListSet);
    };
    const namesOfAll = (place: Place) => kinds.flatMap((_, kind) => names(kind, place));
    const numbers = () => {
      const found = stored[0] === undefined ? matchNumbers(word) : { stored: undefined, matches: matchVat(word) };
      return [
        ...(found.stored === undefined ? [] : [found.stored]),
        ...found.matches.map((one) => uniteMatch(one, [])),
      ];
    };
    const wholeNumbers = keepFirst(() => {
      if (countCharacters(word.folded) < MIN_NUMBER) return [];
      return [uniteMatch(matcher.matchWholeNumber(word.folded), [])];
    });
    const current = keepFirst(() => join([...names(CURRENT, 'inside'), ...numbers(), ...names(ROMANISED, 'inside')]));
    return {
      current,
      found: keepFirst(() => {
        const former = names(FORMER, 'inside');
        return former.every(({ size }) => size === 0) ? current() : join([...current(), ...former]);
      }),
      start: keepFirst(() => join([...namesOfAll('start'), ...wholeNumbers()])),
      whole: keepFirst(() => join([...namesOfAll('whole'), ...wholeNumbers()])),
    };
  }

  /** Joins sets so that no document is in two of them: one list, or a bitmap or the longest list and a list of the documents that it lacks. */
  function join(all: readonly DocSet[]): AnyOf {
    const some = all.filter(({ size }) => size > 0);
    if (some.length < 2) return some;
    const bitmaps = some.filter(({ bitmap }) => bitmap !== undefined);
    if (bitmaps.length > 1) {
      const united = emptyMarks();
      for (const set of some) united.addSet(set);
      return [united.toSet()];
    }
    if (bitmaps.length === 0 && sizeOf(some) <= FEW_JOINED)
      return [toListSet(uniteSorted(some.map((set) => takeDocs(set))))];
    const main = bitmaps[0] ?? some.reduce((longest, set) => (set.size > longest.size ? set : longest));
    const others = leaveOut(uniteSorted(some.filter((set) => set !== main).map((set) => takeDocs(set))), main);
    return others.length === 0 ? [main] : [main, toListSet(others)];
  }

  /** The scratch marks, cleared because an earlier query may have left documents in them. */
  function emptyMarks(): Marks {
    marks.clear();
    return marks;
  }

  /**
   * The documents of a match; in scratch memory if there is any. Of a match with a check, only the documents that pass the filters, because
   * a check is expensive.
   */
  function uniteMatch(match: Match, filters: Condition, into?: Uint32Array): DocSet {
    const { check } = match;
    const set = uniteLists(match, emptyMarks(), into);
    if (check === undefined) return set;
    const list = takeDocs(set);
    const found = keepPassing(keepAll(toListSet(list), filters, scratch), check, scratch);
    return { size: found.length, list: into === undefined ? found.slice() : found };
  }

  /** The documents of a fragment: of one match or of few documents as lists, otherwise as a bitmap. They may be in scratch memory. */
  function uniteFragment({ stored, matches }: Found, filters: Condition): AnyOf {
    const [only, ...others] = matches as [Match, ...Match[]];
    if (stored === undefined && others.length === 0) return [uniteMatch(only, filters, scratch)];
    const cost = matches.reduce((sum, match) => sum + match.cost, 0);
    if (stored === undefined && cost <= FEW) {
      return [toListSet(uniteSorted(matches.map((match) => takeDocs(uniteMatch(match, filters)))))];
    }
    const united = emptyMarks();
    if (stored !== undefined) united.addSet(stored);
    for (const match of matches) {
      const { check } = match;
      const passes = check && ((doc: number) => fulfils(filters, doc) && check(doc));
      united.addMatch({ ...match, check: passes });
    }
    return [united.asSet()];
  }

  /** The documents that meet a condition, which must have at least one entry. The result may be in scratch memory. */
  function intersect(all: Condition): Hits {
    const only = onlySetOf(all);
    if (only?.bitmap !== undefined) return hitsOf(only);
    const mains = all.map(mainOf);
    const shortest = findShortest(mains);
    if (shortest === undefined) return BlockHits.count(all, marks.counts.length);
    const others = mains.filter((any) => any !== shortest.entry).sort((a, b) => sizeOf(a) - sizeOf(b));
    // A list in scratch memory must stay as it is while the shortest list is compared with it.
    const isRead = others.some((any) => any.some(({ list }) => list?.buffer === scratch.buffer));
    const beside = listBeside(all);
    const list = keepAll(shortest.set, others, isRead ? new Uint32Array(shortest.set.size) : scratch);
    if (beside.length > 0) return new ListHits(toListSet(uniteSorted([list, beside])));
    return new ListHits(toListSet(list), list.buffer === scratch.buffer);
  }

  function intersectWords(words: Condition, others: Condition): Hits {
    if (words.some(({ length }) => length === 0)) return NO_HITS;
    const [only] = words;
    // No document is in two of the sets of a word.
    if (only !== undefined && words.length === 1 && others.length === 0) {
      return only.length === 1
        ? hitsOf(only[0] as DocSet)
        : new BlockHits(
            words,
            sizeOf(only),
            keepFirst(() => countBlocks(words, marks.counts.length)),
          );
    }
    return intersect([...words, ...others]);
  }

  return {
    findWords,
    /** The number of live documents that contain the word at this position of the terms. */
    countWord(terms: Terms, word: number, { condition }: LiveSets): number {
      return intersectWords([(findWords(terms)[word] as TermSets).found()], condition).size;
    },
    /** The documents that have this folded name, as their current name or as a former or other name. */
    findNamed(folded: string, { findNamed, listOtherNames }: Pick<MatchPart, 'findNamed' | 'listOtherNames'>): AnyOf {
      // Documents with this current name are neighbours in the order of names.
      const [from, to] = findNamed(Buffer.from(folded));
      const current = Uint32Array.from({ length: to - from }, (_, at) => from + at);
      const { otherNameDocs, otherNameHashes, otherNamePositions } = arrays;
      const others = findByHash(otherNameHashes, otherNamePositions, hashName(folded))
        .map((position) => otherNameDocs[position] as number)
        .filter((doc) => listOtherNames(doc).some(({ text }) => fold(text) === folded));
      return [toListSet(uniteSorted([current, others]))];
    },
    /** Finds the hits of a query, which are valid until the next query. */
    find(terms: Terms, liveSets: LiveSets): Hits {
      const filters = sets.findFilters(terms);
      if (filters === undefined) return NO_HITS;
      const found = terms.folded === '' ? NOTHING : matchFragment(terms);
      const isFound = found.matches.length > 0;
      if (terms.folded !== '' && !isFound && found.stored === undefined) return NO_HITS;
      const required = isFound || found.stored === undefined ? filters : [...filters, found.stored];
      if (!isFound && terms.words.length === 0 && required.length < 2) {
        const [only] = required;
        return only === undefined ? liveSets.all : liveSets.of(only);
      }
      const ofWords = terms.words.length === 0 ? [] : findWords(terms).map((word) => word.found());
      const others = [...required.map((set) => [set]), ...liveSets.condition];
      if (!isFound) return intersectWords(ofWords, others);
      if (ofWords.some(({ length }) => length === 0)) return NO_HITS;
      return intersect([uniteFragment(found, [...ofWords, ...others]), ...ofWords, ...others]);
    },
  };
}

/** A document matches a fragment if it is in one of these matches or in the stored set. */
interface Found {
  readonly matches: readonly Match[];
  readonly stored: DocSet | undefined;
}

const NOTHING: Found = { matches: [], stored: undefined };
/** Merging lists of at most this many documents is faster than marking them in a bitmap and reading a page from it. */
const FEW = 1_024;

/** Copying at most this many documents to one list takes less time than comparing with two lists. */
const FEW_JOINED = 4_096;

/**
 * The documents that contain a word: anywhere, in the current name or a number, at the beginning of a word of a name, or as a whole word of
 * a name; a number contains it as a whole in the last two cases. Each union is computed when it is first needed, and of disjoint sets.
 */
export type TermSets = Readonly<Record<'found' | 'current' | 'start' | 'whole', () => AnyOf>>;

/** Where a text is in the words of names, and the function that finds it there. */
const MATCHES = { inside: 'matchInside', start: 'matchStart', whole: 'matchWhole' } as const;
type Place = keyof typeof MATCHES;
/** The positions of the kinds of names. */
const [CURRENT, ROMANISED, FORMER] = [0, 1, 2];

function keepFirst<T>(work: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}
