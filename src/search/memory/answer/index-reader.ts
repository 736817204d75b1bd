import { fold } from '../../../base/fold.ts';
import { hashName } from '../../other-names.ts';
import { MIN_NUMBER } from '../../words.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import { type Bitmap, type DocSet, has, Marks, type Match, type Test } from '../sets.ts';
import { compareFolded } from '../update/document-order.ts';
import { type AnyOf, type Condition, findShortest, keepAll, sizeOf } from './blocks.ts';
import { BlockHits, type Hits, hitsOf, ListHits, type LiveSets, MarkedHits, NO_HITS } from './hits.ts';
import { both, intersectLists, ListUnion, uniteLists } from './lists.ts';
import { createMatcher } from './matcher.ts';
import { createNameWords } from './name-words.ts';
import type { SetFinder } from './set-finder.ts';
import { combinePlaces, findPlaces, type NameKind, type TermSets } from './term-sets.ts';
import type { Fragment, Terms } from './terms.ts';
import { countCharacters, firstNotBelow } from './words.ts';

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
  const filterMarks = new Marks(entities);
  const lists = new ListUnion(entities);
  const kinds = [arrays, ...aliasKinds.map((kind) => aliasArraysOf(arrays, kind))].map(
    (words, at): NameKind => ({
      words: createNameWords(words),
      findBroad: sets.broadWords[at] as NameKind['findBroad'],
    }),
  );
  /** The sets of the words of a query. Weak, so that they are dropped with the query. */
  const known = new WeakMap<Terms, readonly TermSets[]>();

  /** Plans a query. Null if a filter or the fragment occurs nowhere. */
  function plan(terms: Terms): Plan | null {
    const required = sets.findFilters(terms);
    if (required === undefined) return null;
    if (terms.folded === '') return { required };
    const { stored, matches } = matchFragment(terms);
    if (matches.some(({ cost }) => cost > 0)) return { required, fragment: { stored, matches } };
    return stored === undefined ? null : { required: [...required, stored] };
  }

  function matchFragment(fragment: Fragment): Found {
    const stored = sets.findBroad(fragment.folded);
    if (stored !== undefined) return { stored, matches: matchVat(fragment) };
    const byNumber = matchNumbers(fragment);
    const byName = matcher.matchName(fragment.folded).filter(({ cost }) => cost > 0);
    return { stored: byNumber.stored, matches: [...byName, ...byNumber.matches] };
  }

  function matchNumbers(fragment: Fragment): Found {
    const stored = sets.findBroadNumber(fragment.number.text);
    const matches = stored === undefined ? [matcher.matchNumber(fragment.number)] : [];
    return { stored, matches: [...matches.filter(({ cost }) => cost > 0), ...matchVat(fragment)] };
  }

  function findWords(terms: Terms): readonly TermSets[] {
    return known.getOrInsertComputed(terms, () => terms.words.map(findWord));
  }

  function findWord(word: Fragment): TermSets {
    const places = kinds.map((kind) => findPlaces(kind, word.folded, emptyMarks()));
    const numbers = () => {
      // The stored set of a broad fragment includes documents with the fragment in a number.
      const isStored = sets.findBroad(word.folded) !== undefined;
      const { stored, matches } = isStored ? { stored: undefined, matches: matchVat(word) } : matchNumbers(word);
      return [...(stored === undefined ? [] : [stored]), ...matches.map((match) => uniteLists(match, emptyMarks()))];
    };
    const wholeNumbers = () => {
      if (countCharacters(word.folded) < MIN_NUMBER) return [];
      return [uniteLists(matcher.matchWholeNumber(word.folded), emptyMarks())];
    };
    return combinePlaces(places as [Places, Places, Places], numbers, wholeNumbers);
  }

  /** The scratch marks, cleared because an earlier query may have left documents in them. */
  function emptyMarks(): Marks {
    marks.clear();
    return marks;
  }

  /** Finds the companies of a country by a VAT number that contains their national number. */
  function matchVat({ vat }: Fragment): Match[] {
    const country = vat === undefined ? -1 : texts.columns.countryCode.indexOf(vat.country);
    return vat === undefined || country === -1
      ? []
      : [matcher.matchWholeNumber(vat.number, (doc) => countryOf[doc] === country)];
  }

  /** The documents that meet a condition, which must have at least one entry. */
  function intersect(all: Condition): Hits {
    const [[only, second] = [], ...more] = all;
    if (only !== undefined && second === undefined && more.length === 0) return hitsOf(only);
    const shortest = findShortest(all);
    const others = all.filter((any) => any !== shortest?.entry).sort((a, b) => sizeOf(a) - sizeOf(b));
    if (shortest === undefined) return BlockHits.count(others, marks.counts.length);
    return asHits(keepAll(shortest.list, others, lists.scratch));
  }

  function unite({ matches, stored }: Found, required: Required): Hits {
    const filter = filterOf(required);
    const list = stored === undefined ? lists.unite(matches, filter) : undefined;
    if (list === undefined) {
      // Marking all documents and then applying the filters is faster than testing each document. Matches with a check come
      // last, because a check is expensive and need not run for documents that the filters exclude.
      marks.clear();
      if (stored !== undefined) marks.addSet(stored);
      for (const match of matches) if (match.check === undefined) marks.addMatch(match);
      if (filter.length > 0) marks.retain(filter);
      const passes = filter.length > 0 ? testOf(filter) : undefined;
      for (const match of matches)
        if (match.check !== undefined) marks.addMatch({ ...match, check: both(passes, match.check) });
    }
    filterMarks.clear();
    return list === undefined ? new MarkedHits(marks) : asHits(list);
  }

  function filterOf({ list, bitmaps }: Required): readonly Bitmap[] {
    if (list === undefined) return bitmaps;
    // Marking the whole list once is faster than a binary search in it for every document.
    filterMarks.addRange(list, 0, list.length);
    return [filterMarks, ...bitmaps];
  }

  return {
    findWords,
    /** The number of live documents that contain the word at this position of the terms. */
    countWord(terms: Terms, word: number, { condition }: LiveSets): number {
      const found = (findWords(terms)[word] as TermSets).found();
      return found.length === 0 ? 0 : intersect([found, ...condition]).size;
    },
    /** The documents that have this folded name, as their current name or as a former or other name. */
    findNamed(folded: string, listOtherNames: (doc: number) => readonly { readonly text: string }[]): AnyOf {
      const bytes = Buffer.from(folded);
      // Documents with this current name are neighbours in the order of names.
      const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, bytes) < 0);
      const to = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, bytes) <= 0, from);
      const current = Uint32Array.from({ length: to - from }, (_, at) => from + at);
      const { otherNameDocs, otherNameHashes: hashes, otherNamePositions } = arrays;
      const hash = hashName(folded);
      const first = firstNotBelow(hashes.length, (at) => (hashes[at] as number) < hash);
      const end = firstNotBelow(hashes.length, (at) => (hashes[at] as number) <= hash, first);
      const others = otherNamePositions
        .slice(first, end)
        .map((position) => otherNameDocs[position] as number)
        .filter((doc) => listOtherNames(doc).some(({ text }) => fold(text) === folded));
      return [current, others].map((list) => ({ size: list.length, list }));
    },
    /** Finds the hits of a query, which are valid until the next query. */
    find(terms: Terms, liveSets: LiveSets): Hits {
      const planned = plan(terms);
      if (planned === null) return NO_HITS;
      const { required, fragment } = planned;
      const ofWords = terms.words.length === 0 ? [] : findWords(terms).map(({ found }) => found());
      if (ofWords.some(({ length }) => length === 0)) return NO_HITS;
      if (fragment !== undefined) {
        const hits = unite(fragment, combine(required, liveSets.live));
        return ofWords.length === 0 ? hits : intersect([...hits.keep().all, ...ofWords]);
      }
      const [first, ...others] = required;
      if (ofWords.length === 0 && others.length === 0) return first === undefined ? liveSets.all : liveSets.of(first);
      return intersect([...ofWords, ...required.map((set) => [set]), ...liveSets.condition]);
    },
  };
}

/** A document must be in all required sets and match the fragment. A fragment with a stored set is among the required sets. */
interface Plan {
  readonly required: readonly DocSet[];
  readonly fragment?: Found;
}

/** A document matches a fragment if it is in one of these matches or in the stored set. */
interface Found {
  readonly matches: readonly Match[];
  readonly stored: DocSet | undefined;
}

/** A document must be in the list, if there is one, and in all bitmaps. */
interface Required {
  readonly list: Uint32Array | undefined;
  readonly bitmaps: readonly Bitmap[];
}

type Places = ReturnType<typeof findPlaces>;

/** Turns a list, which may be in scratch memory, into hits. */
function asHits(list: Uint32Array): Hits {
  return new ListHits(list, { isScratch: true });
}

function combine(required: readonly DocSet[], live: Bitmap | undefined): Required {
  const lists = required.flatMap(({ list }) => list ?? []).sort((a, b) => a.length - b.length);
  const [shortest, ...others] = lists;
  const bitmaps = required.flatMap(({ bitmap }) => bitmap ?? []);
  if (live !== undefined) bitmaps.push(live);
  return { list: shortest && others.reduce(intersectLists, shortest), bitmaps };
}

function testOf(bitmaps: readonly Bitmap[]): Test {
  const [first, second, third, ...others] = bitmaps as [Bitmap, ...Bitmap[]];
  if (second === undefined) return (doc) => has(first, doc);
  if (third === undefined) return (doc) => has(first, doc) && has(second, doc);
  if (others.length === 0) return (doc) => has(first, doc) && has(second, doc) && has(third, doc);
  return (doc) => bitmaps.every((bitmap) => has(bitmap, doc));
}
