import { fold } from '../../../base/fold.ts';
import { hashName } from '../../other-names.ts';
import { MIN_NUMBER } from '../../words.ts';
import { findByHash } from '../hash-table.ts';
import type { MatchPart } from '../match/match-part.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import { type DocSet, Marks, type Match, takeDocs } from '../sets.ts';
import { type AnyOf, type Condition, findShortest, fulfils, keepAll, onlySetOf, sizeOf } from './blocks.ts';
import { BlockHits, type Hits, hitsOf, ListHits, type LiveSets, NO_HITS } from './hits.ts';
import { keepPassing, uniteLists } from './lists.ts';
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
    const all = kinds.map((_, kind) => findPlaces(kind, word.folded));
    const [names, romanised, former] = all as [Places, Places, Places];
    const numbers = () => {
      const isStored = sets.findBroad(word.folded) !== undefined;
      const { stored, matches } = isStored ? { stored: undefined, matches: matchVat(word) } : matchNumbers(word);
      return [...(stored === undefined ? [] : [stored]), ...matches.map((match) => uniteMatch(match, []))];
    };
    const wholeNumbers = keepFirst(() => {
      if (countCharacters(word.folded) < MIN_NUMBER) return [];
      return [uniteMatch(matcher.matchWholeNumber(word.folded), [])];
    });
    const current = keepFirst(() => withoutEmpty([...names.inside(), ...numbers(), ...romanised.inside()]));
    return {
      current,
      found: keepFirst(() => withoutEmpty([...current(), ...former.inside()])),
      start: keepFirst(() => withoutEmpty([...all.flatMap((one) => one.start()), ...wholeNumbers()])),
      whole: keepFirst(() => withoutEmpty([...all.flatMap((one) => one.whole()), ...wholeNumbers()])),
    };
  }

  /** The documents with the term in one kind of names, by where it is in words. */
  function findPlaces(kind: number, term: string): Places {
    const stored = sets.broadWords[kind]?.(term);
    if (stored !== undefined) {
      return { inside: () => [stored.inside], start: () => [stored.start], whole: () => [stored.whole] };
    }
    const ranges = (kinds[kind] as Words).findRanges(Buffer.from(term));
    const unite = (match: Match) => keepFirst(() => (match.cost === 0 ? [] : [uniteMatch(match, [])]));
    const [whole, longer, inside] = [unite(ranges.whole), unite(ranges.start), unite(ranges.inside)];
    return {
      whole,
      start: () => [...whole(), ...longer()],
      inside: () => [...whole(), ...longer(), ...inside()],
    };
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
    const found = keepPassing(keepAll(takeDocs(set), filters, scratch), check, scratch);
    return { size: found.length, list: into === undefined ? found.slice() : found };
  }

  /** The documents of a fragment: of one match or of few documents as lists, otherwise as a bitmap. They may be in scratch memory. */
  function uniteFragment({ stored, matches }: Found, filters: Condition): AnyOf {
    const [only, ...others] = matches as [Match, ...Match[]];
    if (stored === undefined && others.length === 0) return [uniteMatch(only, filters, scratch)];
    const cost = matches.reduce((sum, match) => sum + match.cost, 0);
    if (stored === undefined && cost <= FEW) return matches.map((match) => uniteMatch(match, filters));
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
    const shortest = findShortest(all);
    const others = all.filter((any) => any !== shortest?.entry).sort((a, b) => sizeOf(a) - sizeOf(b));
    if (shortest === undefined) return BlockHits.count(others, marks.counts.length);
    // A list in scratch memory must stay as it is while the shortest list is compared with it.
    const isRead = others.some((any) => any.some(({ list }) => list?.buffer === scratch.buffer));
    const list = keepAll(shortest.list, others, isRead ? new Uint32Array(shortest.list.length) : scratch);
    return new ListHits(list, list.buffer === scratch.buffer);
  }

  return {
    findWords,
    /** The number of live documents that contain the word at this position of the terms. */
    countWord(terms: Terms, word: number, { condition }: LiveSets): number {
      const found = (findWords(terms)[word] as TermSets).found();
      return found.length === 0 ? 0 : intersect([found, ...condition]).size;
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
      return [current, others].map((list) => ({ size: list.length, list }));
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
      if (ofWords.some(({ length }) => length === 0)) return NO_HITS;
      const all = [...ofWords, ...required.map((set) => [set]), ...liveSets.condition];
      return intersect(isFound ? [uniteFragment(found, all), ...all] : all);
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

/**
 * The documents that contain a word: anywhere, in the current name or a number, at the beginning of a word of a name, or as a whole word of
 * a name; a number contains it as a whole in the last two cases. Each set is computed when it is first needed.
 */
export type TermSets = Readonly<Record<'found' | 'current' | 'start' | 'whole', () => AnyOf>>;

/** The documents with a word in names of one kind. */
type Places = Readonly<Record<'inside' | 'start' | 'whole', () => AnyOf>>;

function withoutEmpty(any: AnyOf): AnyOf {
  return any.filter(({ size }) => size > 0);
}

function keepFirst<T>(work: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}
