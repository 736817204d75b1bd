import { MIN_NUMBER } from '../../words.ts';
import type { LiveDocs } from '../overlay.ts';
import { aliasArraysOf, aliasKinds, type SearchIndex } from '../search-index.ts';
import type { Match, Test } from '../sets.ts';
import { type Bitmap, type DocSet, has, Marks } from '../sets.ts';
import { compareFolded } from '../update/document-order.ts';
import { type AnyOf, keepAny, sizeOf, uniteLists, uniteSets } from './combined-sets.ts';
import { BitmapHits, countCommon, type Hits, hitsOf, ListHits, type LiveSets, NO_HITS } from './hits.ts';
import { both, intersectLists, ListUnion } from './lists.ts';
import { createMatcher } from './matcher.ts';
import { createNameWords } from './name-words.ts';
import type { SetFinder } from './set-finder.ts';
import { combinePlaces, findPlaces, type NameKind, type TermSets } from './term-sets.ts';
import type { Fragment, Terms } from './terms.ts';
import { countCharacters, firstNotBelow } from './words.ts';

/**
 * Finds the documents of one index. It holds what depends only on the index, so it is created once and used for every
 * version of the data that the index is a part of. Which documents are hidden is given with each query.
 */
export function createIndexReader(index: SearchIndex, sets: SetFinder) {
  const { arrays, texts, entities } = index;
  const matcher = createMatcher(arrays, texts);
  const countryOf = arrays['summary.countryCode'];
  // Scratch memory, reused by every query. Queries are synchronous, so only one uses it at a time.
  const marks = new Marks(entities);
  const filterMarks = new Marks(entities);
  const counts = new Uint32Array(marks.counts.length);
  const lists = new ListUnion(entities);
  const kinds = [arrays, ...aliasKinds.map((kind) => aliasArraysOf(arrays, kind))].map(
    (words, at): NameKind => ({
      words: createNameWords(words),
      findBroad: sets.broadWords[at] as NameKind['findBroad'],
    }),
  );
  /** For as long as a query lasts. */
  const known = new WeakMap<Terms, readonly TermSets[]>();

  /** Null if a filter or the fragment occurs nowhere. */
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
      // The stored set of a broad fragment has its numbers too.
      const isStored = sets.findBroad(word.folded) !== undefined;
      const { stored, matches } = isStored ? { stored: undefined, matches: matchVat(word) } : matchNumbers(word);
      return [...(stored === undefined ? [] : [stored]), ...matches.map((match) => uniteLists(match, emptyMarks()))];
    };
    const wholeNumbers = () => {
      if (countCharacters(word.folded) < MIN_NUMBER) return [];
      return [uniteLists(matcher.matchWholeNumber(word.folded), emptyMarks())];
    };
    const unite = (any: AnyOf) => uniteSets(any, emptyMarks());
    return combinePlaces(places as [Places, Places, Places], numbers, wholeNumbers, unite);
  }

  /** An earlier query may have left documents in them. */
  function emptyMarks(): Marks {
    marks.clear();
    return marks;
  }

  /** The documents that have all words, and are in `start`, if it is given, and in all required sets. */
  function intersectWords(terms: Terms, required: readonly DocSet[], start?: DocSet): Hits {
    const words = findWords(terms).toSorted((a, b) => sizeOf(a.found()) - sizeOf(b.found()));
    // Uniting the sets of the rarest word is enough.
    const rarest = start ?? (words.shift() as TermSets).united();
    const others = [...words.map(({ found }) => found()), ...required.map((set) => [set])];
    others.sort((a, b) => sizeOf(a) - sizeOf(b));
    return hitsOf(others.reduce((left, any) => keepAny(left, any, entities), rarest));
  }

  /** Finds the companies of a country by a VAT number that contains their national number. */
  function matchVat({ vat }: Fragment): Match[] {
    const country = vat === undefined ? -1 : texts.columns.countryCode.indexOf(vat.country);
    return vat === undefined || country === -1
      ? []
      : [matcher.matchWholeNumber(vat.number, (doc) => countryOf[doc] === country)];
  }

  /** Intersects the lists first: their result is short, and testing it against the bitmaps is cheap. */
  function intersect({ list, bitmaps }: Required): Hits {
    if (list !== undefined) return asHits(lists.keep(list, bitmaps));
    const size = countCommon(bitmaps, counts);
    const bits = bitmaps.map((bitmap) => bitmap.bits);
    return new BitmapHits(size, bits, counts, { isScratch: true });
  }

  function unite({ matches, stored }: Found, required: Required): Hits {
    const filter = filterOf(required);
    const list = stored === undefined ? lists.unite(matches, filter) : undefined;
    if (list === undefined) {
      // Marking all documents and then applying the filters is faster than testing each. Matches with a check come
      // last: the check is expensive, so documents that the filters exclude are not checked.
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
    /** How many documents that are not hidden have a word of the terms. */
    countWord(terms: Terms, word: number, { live }: LiveSets): number {
      const found = (findWords(terms)[word] as TermSets).united();
      return live === undefined ? found.size : keepAny(found, [toSet(live)], entities).size;
    },
    /** The documents whose folded name is this one: they are neighbours. */
    findNamed(folded: string): DocSet {
      const bytes = Buffer.from(folded);
      const from = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, bytes) < 0);
      const to = firstNotBelow(entities, (doc) => compareFolded(arrays, doc, bytes) <= 0, from);
      return { size: to - from, list: Uint32Array.from({ length: to - from }, (_, at) => from + at) };
    },
    /** The result is valid until the next query. */
    find(terms: Terms, liveSets: LiveSets): Hits {
      const planned = plan(terms);
      if (planned === null) return NO_HITS;
      const { required, fragment } = planned;
      if (terms.words.length > 0) {
        const live = liveSets.live === undefined ? [] : [toSet(liveSets.live)];
        if (fragment === undefined) return intersectWords(terms, [...required, ...live]);
        return intersectWords(terms, [], unite(fragment, combine(required, liveSets.live)).keep().set);
      }
      const [first] = required;
      if (fragment === undefined) {
        if (first === undefined) return liveSets.all;
        if (required.length === 1) return liveSets.of(first);
      }
      const combined = combine(required, liveSets.live);
      return fragment === undefined ? intersect(combined) : unite(fragment, combined);
    },
  };
}

/** What a document must satisfy: it is in all required sets, and matches the fragment if that is not one of them. */
interface Plan {
  readonly required: readonly DocSet[];
  readonly fragment?: Found;
}

/** A document matches a fragment if it is in any of these. */
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

function toSet(live: LiveDocs): DocSet {
  return { size: live.size, bitmap: live };
}

/** Hits in marks, which the next query overwrites. */
export class MarkedHits extends BitmapHits {
  readonly #marks: Marks;

  constructor(marks: Marks) {
    super(marks.size, [marks.bits], marks.counts);
    this.#marks = marks;
  }

  override keep(): Hits {
    const { size, list, bitmap } = this.#marks.toSet();
    if (list !== undefined) return new ListHits(list, { bytes: list.byteLength });
    const { bits, counts } = bitmap as Bitmap;
    return new BitmapHits(size, [bits], counts, { bytes: bits.byteLength + counts.byteLength });
  }
}

/** The list may be in scratch memory. */
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
