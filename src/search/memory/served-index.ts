import { fail } from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import type { Choices } from '../choices.ts';
import { countFacets, NOT_READY, type Search } from '../search.ts';
import { countChoices } from './answer/count-values.ts';
import { createEngine, type EngineOptions } from './answer/engine.ts';
import type { IndexPart } from './answer/index-part.ts';
import { runAtOnce, runInTurns } from './answer/steps.ts';
import { createCollector } from './collector.ts';
import { createCandidateFinder } from './match/candidate-finder.ts';
import type { Dictionary } from './match/dictionary.ts';
import { countDroppedBytes, decodeState, type IndexState, type StateMessage } from './overlay.ts';

/** The index from which this thread answers. It is replaced only between queries, so a reply never mixes two versions of the data. */
export function createServedIndex(options: ServedIndexOptions = {}) {
  let served: ReturnType<typeof serve> | undefined;
  const collectDropped = createCollector();
  const current = () => {
    if (served === undefined) throw fail('service_unavailable', NOT_READY);
    return served;
  };
  return {
    use(state: IndexState): void {
      const previous = served;
      served = serve(state, { ...options, previous: previous?.engine });
      if (previous !== undefined) collectDropped(countDroppedBytes(previous.state, state));
    },
    isReady: () => served !== undefined,
    version: () => current().state.version,
    find: (query) => current().engine.findInTurns(query),
    readAll: async (query, use) => use(await current().engine.findAll(query)),
    countFacets: async (query) => {
      const { engine } = current();
      return countFacets(query, async (of, names) => engine.countValues(of, names));
    },
    listChoices: async () => current().listChoices(),
    candidates: { find: (asked) => current().candidates.find(asked) },
    correct: (q) => correctSpelling((current().engine.parts[0] as IndexPart).match.current, q),
  } satisfies Partial<Search> & { use(state: IndexState): void };
}

type ServedIndexOptions = Pick<EngineOptions, 'cacheBytes'>;

function serve(state: IndexState, options: EngineOptions) {
  const engine = createEngine(state, options);
  let choices: Promise<Choices> | undefined;
  const listChoices = async () => {
    choices ??= Promise.resolve(runInTurns(countChoices(engine.parts)));
    return choices;
  };
  return { state, engine, candidates: createCandidateFinder(state, engine.parts), listChoices };
}

/** Search in a thread that gets each new state from the thread that keeps the index up to date. */
export function createHandedSearch(options: ServedIndexOptions = {}) {
  const { use, ...search } = createServedIndex(options);
  // Each message refers to the previous state.
  let latest: IndexState | undefined;
  return {
    ...search,
    use(message: StateMessage): void {
      latest = decodeState(message, latest);
      use(latest);
    },
    refresh: async () => undefined,
    start: () => undefined,
    close: async () => undefined,
  } satisfies Search & { use(message: StateMessage): void };
}

/**
 * Corrects a query that finds nothing: each word that no name contains is replaced by the most similar word of the vocabulary, or the most
 * frequent of several equally similar words. Undefined if there is no word to replace, or if such a word has no similar word.
 */
function correctSpelling({ isContained, findNear, docsOf, textOf }: Dictionary, q: string): string | undefined {
  const terms = fold(q.toWellFormed()).split(' ');
  if (terms.length > MAX_TERMS) return undefined;
  const budget = { postings: 0, words: MAX_WORDS, isBounded: false };
  const corrected: string[] = [];
  for (const term of terms) {
    const bytes = Buffer.from(term);
    if (isContained(bytes)) corrected.push(term);
    else {
      const similar = runAtOnce(findNear(bytes, budget));
      const [best] = similar.sort((a, b) => b.share - a.share || docsOf(b.word).size - docsOf(a.word).size);
      if (best === undefined) return undefined;
      corrected.push(textOf(best.word));
    }
  }
  return corrected.some((word, at) => word !== terms[at]) ? corrected.join(' ') : undefined;
}

const MAX_TERMS = 8;
/** The maximum number of words to compare. A correction blocks the event loop meanwhile. */
const MAX_WORDS = 500_000;
