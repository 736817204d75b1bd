import { fail } from '../../core/errors.ts';
import type { Choices } from '../choices.ts';
import { NOT_READY, type Search } from '../search.ts';
import { countChoices } from './answer/count-choices.ts';
import { createEngine, type Engine } from './answer/engine.ts';
import type { SearchIndex } from './search-index.ts';

/**
 * The index that this thread answers from. It is swapped between two queries, and a query uses one engine from start to
 * end, so a reply never mixes two versions of the data.
 */
export interface ServedIndex extends Pick<Search, 'version' | 'find' | 'listChoices' | 'isReady'> {
  use(index: SearchIndex): void;
}

export interface ServedIndexOptions {
  /** Memory for cached results: see `answer/engine.ts`. */
  readonly cacheBytes?: number;
}

export function createServedIndex(options: ServedIndexOptions = {}): ServedIndex {
  let served: Served | undefined;
  const current = () => {
    if (served === undefined) throw fail('service_unavailable', NOT_READY);
    return served;
  };
  return {
    use(index) {
      const isFirst = served === undefined;
      const listChoices = once(() => countChoices(index));
      served = { engine: createEngine(index, options), version: index.version, listChoices };
      if (!isFirst) triggerCollection(index.bytes);
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
 * Makes V8 collect the previous index. V8 does not count shared memory, so a dropped index is no reason for it to
 * collect garbage: two idle threads kept five replaced indexes of 260 MB each. V8 does count array buffers, so
 * allocating and dropping as many bytes starts a collection. The buffers are never written to, so they use no physical
 * memory. The alternative, `gc()`, needs the flag `--expose-gc` and stops the thread for 30 ms or more; this collection
 * is incremental.
 */
function triggerCollection(bytes: number): void {
  for (let allocated = 0; allocated < bytes + PIECE; allocated += PIECE) new ArrayBuffer(PIECE);
}

const PIECE = 64 * 1024 * 1024;

/** Search in a thread that gets each new index from the thread that keeps it up to date. */
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
