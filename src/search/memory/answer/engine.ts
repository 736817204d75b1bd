import { keepCompressed } from '../../../base/system/compression.ts';
import type { FacetName, Facets } from '../../choices.ts';
import { renderMeta, type SearchQuery, type SearchReply, type SortOrder, type WholeResult } from '../../search.ts';
import { findMatchedName, writeMatchedName } from '../../words.ts';
import type { IndexState } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { isInAny, sizeOf } from './blocks.ts';
import { countValues } from './count-values.ts';
import {
  isDated,
  keepDated,
  orderValues,
  readWhole,
  type SortedHits,
  type SortField,
  sortHits,
  type ValueOrder,
} from './dates.ts';
import type { Hits } from './hits.ts';
import { createParts, type IndexPart } from './index-part.ts';
import { type Page, takePage } from './merge-page.ts';
import { createPageWriter, type WriteMore } from './page-writer.ts';
import { rankHits } from './relevance.ts';
import { runAtOnce, runInTurns, type Steps } from './steps.ts';
import { readTerms, type Terms } from './terms.ts';

/**
 * Answers queries from the base of an index and its overlay, exactly and on the calling thread. This folder owns the way
 * from a query to the bytes of a reply, and changes nothing in the index. The parts, in the order of a query:
 *
 * 1. `terms.ts` reads the query, once for base and segments.
 * 2. `index-reader.ts` finds the documents of one index. Every filter is a stored set, and so is a broad fragment, such
 *    as `a` or `ltd` (`set-finder.ts`; `LiveSets` leaves out the documents that the overlay hides).
 * 3. Any other fragment goes to `matcher.ts`, which returns posting lists (numbers: `match-number.ts`). `lists.ts` unites them to a list or
 *    a bitmap. Filters, fragments and words are sets, which are intersected and counted, but not listed (`blocks.ts`, `hits.ts`).
 * 4. Words are looked up one by one in names of all kinds and in numbers; a hit is in a set of every word.
 * 5. `merge-page.ts` finds the page in the results of base and segments, and `page-writer.ts` writes it. Results and replies are kept.
 *
 * Hits of words are divided into classes by relevance (`relevance.ts`), as far as the page needs.
 *
 * A whole result is walked through once (`walkHits`) and written line by line. Work that grows with the hits is done in steps
 * (`steps.ts`): filtering and sorting by date (`dates.ts`) and counting the values of filters (`count-values.ts`).
 *
 * The work of a query is bounded: each filter costs at most one pass over a bitmap, and a fragment at most as many
 * documents as the threshold from which fragments are stored (`build/broad.ts`).
 */
export type Engine = ReturnType<typeof createEngine>;

export interface EngineOptions {
  readonly cacheBytes?: number;
  /** The engine that the new engine replaces, whose parts are reused. */
  readonly previous?: { readonly parts: readonly IndexPart[] } | undefined;
}

/**
 * Memory for results that took work to find, so that their other pages take little time. A quarter of this size is used in
 * addition for complete replies to repeated queries. Each of several serving threads gets an equal part.
 */
export const CACHE_BYTES = 64 * 1024 * 1024;

export function createEngine(state: IndexState, { cacheBytes = CACHE_BYTES, previous }: EngineOptions = {}) {
  const { version } = state;
  const parts = createParts(state, previous?.parts);
  const indexes = parts.map(({ index }) => index);
  const writers = parts.map(({ writer }) => writer);
  const writer = createPageWriter();
  /** A list takes four bytes per hit, a bitmap one bit per document. Stored sets take nothing, but few results consist only of these. */
  const bytesOf = ({ hits }: Found) =>
    hits.reduce((sum, { size }, part) => sum + Math.min(4 * size, (indexes[part] as SearchIndex).entities / 8), 0);
  const cache = new ResultCache<Found>(cacheBytes, bytesOf);
  const valueOrders: Partial<Record<SortField, ValueOrder>> = {};
  const replies = new ResultCache<SearchReply>(cacheBytes / 4, ({ body }) => body.byteLength);

  /** Finds the hits of a query, or takes them from the cache. With `isBrief`, the hits may be valid only until the next query. */
  function* locate(terms: Terms, isBrief = false): Steps<Found> {
    const known = cache.get(terms.key);
    if (known !== undefined) return known;
    let hits = parts.map(({ reader, liveSets }) => reader.find(terms, liveSets));
    if (cacheBytes > 0 || !isBrief || isDated(terms)) hits = hits.map((of) => of.keep());
    if (isDated(terms)) {
      for (const [part, of] of hits.entries()) hits[part] = yield* keepDated(indexes[part] as SearchIndex, of, terms);
    }
    const found = { hits, total: hits.reduce((sum, { size }) => sum + size, 0) };
    cache.offer(terms.key, () => found);
    return found;
  }

  function* sort(terms: Terms, found: Found, order: Exclude<SortOrder, 'name'>): Steps<SortedHits> {
    if (order === 'relevance') return rankHits(state, parts, found.hits, terms);
    const field = SORT_FIELDS[order];
    const known = found.sorted?.[field];
    if (known !== undefined) return known;
    valueOrders[field] ??= orderValues(indexes, field);
    const sorted = yield* sortHits(state, indexes, found.hits, field, valueOrders[field]);
    found.sorted = { ...found.sorted, [field]: sorted };
    cache.grow(terms.key, found, 4 * valueOrders[field].count);
    return sorted;
  }

  function* select(query: SearchQuery, terms: Terms): Steps<{ readonly total: number; readonly page: Page }> {
    const from = (query.page - 1) * query.pageSize;
    const found = yield* locate(terms, query.sort === 'name');
    const { total, hits } = found;
    if (query.sort === 'name') return { total, page: takePage(state, hits, from, query.pageSize) };
    const sorted = yield* sort(terms, found, query.sort);
    return { total, page: yield* sorted.take(from, query.pageSize) };
  }

  function* findAllInSteps(query: SearchQuery): Steps<WholeResult> {
    const terms = readTerms(query);
    const found = yield* locate(terms);
    const { total, hits } = found;
    const writeMore = createMatchedNames(parts, terms);
    const write = (page: Page) => ({ rows: page.docs.length, lines: writer.writeLines(page, writers, writeMore) });
    const sorted = query.sort === 'name' ? undefined : yield* sort(terms, found, query.sort);
    const take = (from: number, count: number) =>
      sorted === undefined ? takePage(state, hits, from, count) : runInTurns(sorted.take(from, count));
    return { version, total, read: (limit) => readWhole(total, take, limit, write) };
  }

  function* answerInSteps(query: SearchQuery): Steps<SearchReply> {
    const key = keyOf(query);
    const known = replies.get(key);
    if (known !== undefined) return known;
    const terms = readTerms(query);
    const { total, page } = yield* select(query, terms);
    const body = writer.write(page, writers, renderMeta(query, total), createMatchedNames(parts, terms));
    replies.offer(key, () => {
      // The kept body is an object of its own in the same memory, because only repeated replies keep their compressed forms.
      const repeated = keepCompressed(Buffer.from(body.buffer), (bytes) => replies.grow(key, kept, bytes));
      const kept: SearchReply = { version, total, body: repeated };
      return kept;
    });
    return { version, total, body };
  }

  function* countInSteps(query: SearchQuery, names: readonly FacetName[]): Steps<Partial<Facets>> {
    const { hits } = yield* locate(readTerms(query));
    return yield* countValues(parts, hits, names);
  }

  return {
    /** The prepared data of each index, which the next engine reuses. */
    parts,
    /** Finds the whole result, which stays valid when another engine replaces this engine. */
    findAll: (query: SearchQuery) => runInTurns(findAllInSteps(query)),
    /** Answers within the current turn of the event loop, however long the search takes. */
    find: (query: SearchQuery) => runAtOnce(answerInSteps(query)),
    /** Answers in several turns of the event loop if the search takes long. */
    findInTurns: (query: SearchQuery) => runInTurns(answerInSteps(query)),
    /** Counts the hits for each value of these filters. */
    countValues: (query: SearchQuery, names: readonly FacetName[]) => runInTurns(countInSteps(query, names)),
  };
}

/** Caches the key by query object, because callers may repeat a query with one object. */
const keys = new WeakMap<SearchQuery, string>();

function keyOf(query: SearchQuery): string {
  return keys.getOrInsertComputed(query, JSON.stringify);
}

const SORT_FIELDS = { '-registeredAt': 'registeredAt', '-updatedAt': 'updatedAt' } as const;

/** The hits in the base and in each segment. */
interface Found {
  readonly total: number;
  readonly hits: readonly Hits[];
  /** The hits in the other orders that queries have asked for so far. */
  sorted?: Partial<Record<SortField, SortedHits>>;
}

/**
 * Writes the field that hits of a search by words have in addition: the former or other name that a hit was found by, if its current name
 * and numbers lack a word. Undefined for other searches.
 */
function createMatchedNames(parts: readonly IndexPart[], terms: Terms): WriteMore | undefined {
  if (terms.words.length === 0) return undefined;
  /** By part: the words that some documents have only in former or other names. */
  const others = parts.map(({ reader }) =>
    reader.findWords(terms).flatMap(({ current, found }, word) => {
      const { folded } = terms.words[word] as Terms['words'][number];
      return sizeOf(current()) < sizeOf(found()) ? { folded, current: current() } : [];
    }),
  );
  return (doc, part) => {
    const missing = (others[part] as (typeof others)[0]).filter(({ current }) => !isInAny(current, doc));
    if (missing.length === 0) return NO_NAME;
    const { index, match } = parts[part] as IndexPart;
    const names = match.listOtherNames(doc).map(({ text }) => text);
    const country = index.texts.columns.countryCode.at(index.arrays['summary.countryCode'][doc] as number) ?? '';
    const wanted = missing.map(({ folded }) => folded);
    return Buffer.from(writeMatchedName(findMatchedName(names, wanted, country)));
  };
}

const NO_NAME = Buffer.from(writeMatchedName(null));

/** A least-recently-used cache with a limit in bytes. Every engine, and so every version of the data, has its own caches. */
export class ResultCache<T> {
  readonly #maxBytes: number;
  readonly #sizeOf: (value: T) => number;
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  constructor(maxBytes: number, sizeOf: (value: T) => number) {
    this.#maxBytes = maxBytes;
    this.#sizeOf = sizeOf;
  }

  get(key: string): T | undefined {
    const found = this.#entries.get(key);
    if (found === undefined) return undefined;
    // A Map iterates in the order of insertion: inserting again makes the entry the most recent.
    this.#entries.delete(key);
    this.#entries.set(key, found);
    return found.value;
  }

  /** `make` is not called if the cache is switched off. */
  offer(key: string, make: () => T): void {
    if (this.#maxBytes === 0) return;
    const value = make();
    const bytes = ENTRY_BYTES + key.length * 2 + this.#sizeOf(value);
    if (bytes > this.#maxBytes) return;
    // If a query ran twice at the same time, its entry is replaced.
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    this.#dropOldest();
  }

  /** Adds memory to the size of an entry whose value has grown. */
  grow(key: string, value: T, bytes: number): void {
    const entry = this.#entries.get(key);
    if (entry?.value !== value) return;
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#dropOldest();
  }

  #dropOldest(): void {
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

interface Entry<T> {
  readonly value: T;
  bytes: number;
}

/** The approximate memory of a JavaScript object and a map entry. */
const ENTRY_BYTES = 300;
