import { fail } from '../../core/errors.ts';
import type { Choices } from '../choices.ts';
import type { Search } from '../search.ts';
import { countChoices } from './answer/count-choices.ts';
import { createEngine, type Engine } from './answer/engine.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * The index this thread answers from. It is swapped between two queries, and a query is answered from one engine from start to
 * end, so that a reply never mixes generations. What was answered from before is garbage then.
 */
export interface ServedIndex extends Pick<Search, 'version' | 'find' | 'listChoices' | 'isReady'> {
  use(index: SearchIndex): void;
}

export interface ServedIndexOptions {
  /** For results that are kept: see `engine.ts`. */
  readonly cacheBytes?: number;
}

export function createServedIndex(options: ServedIndexOptions = {}): ServedIndex {
  let served: Served | undefined;
  const current = () => {
    if (served === undefined) throw fail('service_unavailable', { message: NOT_YET, retryAfter: 1 });
    return served;
  };
  return {
    use(index) {
      const isFirst = served === undefined;
      const listChoices = once(() => countChoices(index));
      served = { engine: createEngine(index, options), version: index.version, listChoices };
      if (!isFirst) callForCollection(index.bytes);
    },
    isReady: () => served !== undefined,
    version: () => current().version,
    find: (query) => current().engine.find(query),
    listChoices: async () => current().listChoices(),
  };
}

interface Served {
  readonly engine: Engine;
  readonly version: string;
  readonly listChoices: () => Promise<Choices>;
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

/**
 * V8 does not count shared memory, so an index that nobody uses any more is no reason for it to look for garbage: two idle
 * threads held on to all of five generations of 260 MB. Memory that it does count, asked for and let go untouched, is one.
 * Unlike a collection by force, which stops the thread for 30 ms and more, it goes on beside the work.
 */
function callForCollection(bytes: number): void {
  for (let asked = 0; asked < bytes + PIECE; asked += PIECE) new ArrayBuffer(PIECE);
}

const PIECE = 64 * 1024 * 1024;

/** Search in a thread that is handed each new index by another, which keeps them. */
export interface HandedSearch extends Search {
  use(index: SearchIndex): void;
}

export function createHandedSearch(options: ServedIndexOptions = {}): HandedSearch {
  return {
    ...createServedIndex(options),
    refresh: async () => undefined,
    start: () => undefined,
    close: async () => undefined,
  };
}

const NOT_YET = 'The search index is being built: try again shortly.';
