import { keepCompressed } from '../../../system/compression.ts';
import {
  type ResultLines,
  ROWS_PER_READ,
  renderMeta,
  type SearchQuery,
  type SearchReply,
  type WholeResult,
} from '../../search.ts';
import { createMatchPart, type MatchPart } from '../match/match-part.ts';
import type { IndexState, LiveDocs } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import type { Hits } from './hits.ts';
import { createIndexReader, type IndexReader } from './index-reader.ts';
import { LiveSets } from './live-sets.ts';
import { createPageMerger, type Page, walkHits } from './merge-page.ts';
import { createDocWriter, createPageWriter, type DocWriter } from './page-writer.ts';
import { ResultCache } from './result-cache.ts';
import { createSetFinder, type SetFinder } from './set-finder.ts';
import { readTerms, type Terms } from './terms.ts';

/**
 * Answers queries from the base of an index and its overlay, exactly and on the calling thread. This folder owns the way
 * from a query to the bytes of a reply; it changes nothing in the index. The parts, in the order of a query:
 *
 * 1. `terms.ts` reads the query, once for base and segments.
 * 2. `index-reader.ts` finds the documents of one index. Every filter is a stored set, and so is a broad fragment, such
 *    as `a` or `ltd` (`set-finder.ts`; `live-sets.ts` leaves out the documents that the overlay hides).
 * 3. Any other fragment goes to `matcher.ts`, which returns posting lists: inside a word by `words.ts`, across words by
 *    `match-phrase.ts`, in a registration number by `match-number.ts`.
 * 4. `lists.ts` unites short lists; longer ones are marked in a bitmap (`../marks.ts`), less what the filters exclude;
 *    `count-common.ts` intersects bitmaps. The result is counted but not listed (`hits.ts`).
 * 5. `merge-page.ts` finds the page in the results of base and segments, `page-writer.ts` writes it, and
 *    `result-cache.ts` keeps results and replies.
 * A whole result is walked through once (`walkHits`) and written line by line.
 * `count-choices.ts` counts the values of the filters.
 *
 * The work of a query is bounded: each filter costs at most one pass over a bitmap, and a fragment at most as many
 * documents as the threshold from which fragments are stored (`build/broad.ts`).
 */
export interface Engine {
  find(query: SearchQuery): SearchReply;
  /** It stays valid when another engine replaces this one. */
  findAll(query: SearchQuery): WholeResult;
  /** How many documents match, and the documents of the page. */
  select(query: SearchQuery): { readonly total: number; readonly page: Page };
  /** What the engine has prepared for each index, for the engine that follows it. */
  readonly parts: readonly Part[];
}

export interface EngineOptions {
  readonly cacheBytes?: number;
  /** The engine that this one replaces. If they have the same base or segments, replacing it takes little time. */
  readonly previous?: Engine | undefined;
}

/** The base or a segment. */
export interface Part {
  readonly index: SearchIndex;
  readonly reader: IndexReader;
  readonly writer: DocWriter;
  readonly liveSets: LiveSets;
  readonly sets: SetFinder;
  readonly match: MatchPart;
}

/**
 * Memory for results that took work to find, so that their other pages are free. A quarter as much is used for complete
 * replies to repeated queries. Serving threads divide it among them.
 */
export const CACHE_BYTES = 64 * 1024 * 1024;

export function createEngine(state: IndexState, { cacheBytes = CACHE_BYTES, previous }: EngineOptions = {}): Engine {
  const { version } = state;
  const parts = createParts(state, previous);
  const writers = parts.map(({ writer }) => writer);
  const writer = createPageWriter();
  const takePage = createPageMerger(state);
  const cache = new ResultCache<Found>(cacheBytes, bytesOf);
  const replies = new ResultCache<SearchReply>(cacheBytes / 4, ({ body }) => body.byteLength);

  /** The hits are valid until the next query. */
  function search(terms: Terms): Found {
    const hits = parts.map(({ reader, liveSets }) => reader.find(terms, liveSets));
    return { hits, total: hits.reduce((sum, { size }) => sum + size, 0) };
  }

  function select(query: SearchQuery): { total: number; page: Page } {
    const terms = readTerms(query);
    const from = (query.page - 1) * query.pageSize;
    const known = cache.get(terms.key);
    if (known !== undefined) return { total: known.total, page: takePage(known.hits, from, query.pageSize) };
    const { hits, total } = search(terms);
    const page = takePage(hits, from, query.pageSize);
    // The page may be a view of scratch memory, but it is written before the next query.
    cache.offer(terms.key, () => ({ total, hits: hits.map((of) => of.keep()) }));
    return { total, page };
  }

  /** The reply to keep. Its compressed forms count as part of it. */
  function copyReply(key: string, { total, body }: SearchReply): SearchReply {
    // A copy, because the page is a view of a larger buffer.
    const copy = Buffer.from(new Uint8Array(body).buffer);
    const reply: SearchReply = {
      version,
      total,
      body: keepCompressed(copy, (bytes) => replies.grow(key, reply, bytes)),
    };
    return reply;
  }

  function* readLines(hits: readonly Hits[], limit: number): Generator<ResultLines> {
    const takeNext = walkHits(state, hits);
    for (let left = limit; left > 0; left -= ROWS_PER_READ) {
      const page = takeNext(Math.min(left, ROWS_PER_READ));
      if (page.docs.length === 0) return;
      yield { rows: page.docs.length, lines: writer.writeLines(page, writers) };
    }
  }

  return {
    parts,
    select,
    findAll(query) {
      const terms = readTerms(query);
      const { total, hits } = cache.get(terms.key) ?? search(terms);
      const kept = hits.map((of) => of.keep());
      return { version, total, read: (limit) => readLines(kept, limit) };
    },
    find(query) {
      const key = JSON.stringify(query);
      const known = replies.get(key);
      if (known !== undefined) return known;
      const { total, page } = select(query);
      const reply = { version, total, body: writer.write(page, writers, renderMeta(query, total)) };
      replies.offer(key, () => copyReply(key, reply));
      return reply;
    },
  };
}

/** The hits of base and segments. */
interface Found {
  readonly total: number;
  readonly hits: readonly Hits[];
}

function bytesOf({ hits }: Found): number {
  return hits.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Not a part of `createEngine`: what the closures there refer to stays in memory, and with `previous` all older engines would. */
function createParts({ base, overlay }: IndexState, previous: Engine | undefined): Part[] {
  return [
    createPart(base, overlay?.live, previous),
    ...(overlay?.segments ?? []).map(({ index, live }) => createPart(index, live, previous)),
  ];
}

function createPart(index: SearchIndex, live: LiveDocs | undefined, previous: Engine | undefined): Part {
  const known = previous?.parts.find((part) => part.index === index);
  const sets = known?.sets ?? createSetFinder(index);
  return {
    index,
    sets,
    match: known?.match ?? createMatchPart(index, sets),
    reader: known?.reader ?? createIndexReader(index, sets),
    writer: known?.writer ?? createDocWriter(index),
    liveSets: new LiveSets(index.entities, live, known?.liveSets),
  };
}
