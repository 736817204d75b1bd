import type { Db } from '../../../base/db/db.ts';
import type { StorePlace } from '../../../base/db/open.ts';
import { findVersion } from '../../../base/db/version.ts';
import { type FewValuedName, storedValueNames } from '../../../base/entity-summary.ts';
import { openThread } from '../../../base/system/thread.ts';
import { dumpEntities } from '../../store.ts';
import { createMatcher } from '../answer/matcher.ts';
import type { WordArrays } from '../answer/words.ts';
import { hashSoundsOfWords } from '../match/sounds.ts';
import { shapeWords } from '../match/word-shapes.ts';
import {
  type AliasArrays,
  type AliasKind,
  countBytes,
  createTexts,
  type IndexArrays,
  prefixAll,
  type SearchIndex,
  type Strings,
  type SummaryArrays,
  type TextsAs,
} from '../search-index.ts';
import { packPositions, TextList } from '../shared-arrays.ts';
import { isicValues } from './activity-rows.ts';
import { type Assist, type AssistantThread, createTextWork } from './assistant.ts';
import { buildBridges } from './bridges.ts';
import { type BroadWord, findBroad } from './broad.ts';
import { type Chunk, copyChunk, rowColumns, viewChunk } from './chunk.ts';
import { buildGrams } from './grams.ts';
import { reorderWords, sortByWords } from './order.ts';
import { invert, SetStore, toWordDocs, withoutLong } from './postings.ts';
import { sortVocabulary } from './suffixes.ts';
import { addValueRows, createValueRows, endValueRows, layOutValues, type ValueRows } from './values.ts';

/**
 * Builds an index from the store. This folder owns every step from the rows of the store to the arrays of
 * `search-index.ts`; `answer/` answers queries from these arrays. The steps, in order:
 *
 * 1. The rows are read as bytes (`chunk.ts`). A second thread (`assistant.ts`) reads the store and keeps the texts (`texts.ts`); the
 *    first thread numbers every distinct word and value (`values.ts`, `byte-table.ts`).
 * 2. `suffixes.ts` sorts the words and, on the second thread, all their suffixes.
 * 3. `order.ts` sorts the documents by the numbers of their words.
 * 4. The second thread puts the texts into this order (`texts.ts`) and indexes the words of other names. The first thread
 *    puts words and values into this order, and lists the documents of each word and value (`postings.ts`), of each transition between
 *    two words (`bridges.ts`) and of each part of a registration number (`grams.ts`).
 * 5. `broad.ts` finds the fragments whose documents are stored as sets. It uses the matcher of `answer/`, which needs complete arrays
 *    of words and numbers.
 *
 * With the location of a store, the build uses a second thread, which opens the store; with an open store, the build does all
 * work in the calling thread.
 */
export async function buildIndex(source: Db | StorePlace): Promise<SearchIndex> {
  if ('snapshot' in source) {
    return source.snapshot(async (view) => indexChunks(await findVersion(view), dumpEntities(view, rowColumns)));
  }
  const { databaseUrl, dataDir, timeLimits } = source;
  const data = { databaseUrl, dataDir, timeLimits };
  await using thread = openThread<AssistantThread>(ASSISTANT, { name: 'search index 2', data });
  const version = await thread.call('findVersion');
  const rows = createValueRows();
  for await (const { buffer, length } of thread.stream('read')) addValueRows(rows, viewChunk(buffer, length));
  return await indexRows(version, rows, thread.call as Assist);
}

const ASSISTANT = new URL('assistant-worker.ts', import.meta.url);

/**
 * Builds an index of some rows, in the calling thread. The chunks are in the format of a dump of `rowColumns`. Fragments with up to
 * `minThreshold` documents have no stored set.
 */
export async function indexChunks(
  version: string,
  chunks: AsyncIterable<Uint8Array>,
  minThreshold?: number,
): Promise<SearchIndex> {
  const rows = createValueRows();
  const { add, functions } = createTextWork();
  let chunk: Chunk | undefined;
  for await (const bytes of chunks) {
    chunk = copyChunk(bytes, chunk);
    add(chunk);
    addValueRows(rows, chunk);
  }
  const assist: Assist = async (name, ...args) => (functions[name] as (...args: readonly unknown[]) => never)(...args);
  return indexRows(version, rows, assist, minThreshold);
}

async function indexRows(
  version: string,
  rows: ValueRows,
  assist: Assist,
  minThreshold = MIN_THRESHOLD,
): Promise<SearchIndex> {
  endValueRows(rows);
  const { count } = rows;
  const { vocabulary, ranks } = sortVocabulary(rows.vocabulary);
  const sorting = handled(assist('sortSuffixes', vocabulary));
  const { values: numbers, length } = rows.words.values;
  for (let at = 0; at < length; at++) numbers[at] = ranks[numbers[at] as number] as number;
  const starts = rows.words.starts.values;
  const order = sortByWords(count, rows.words.values.values, starts);
  const sortingNames = handled(assist('sortEqualNames', order));
  const threshold = Math.max(minThreshold, Math.floor(count / 32));
  const layingOut = handled(assist('layOutTexts', threshold));

  const words = reorderWords(rows.words.values.values, starts.subarray(0, count + 1), order.rows);
  rows.words.values.release();
  const wordDocs = toWordDocs(invert(words, ranks.length));
  const bridges = buildBridges(vocabulary, words.groups, words.starts, count);
  const suffixes = await sorting;
  const wordArrays = { ...vocabulary, ...suffixes, ...wordDocs };
  const finding = handled(assist('findBroadWords', wordArrays, count, threshold));
  await sortingNames;
  const sets = new SetStore(count);
  const values = layOutValues(rows, order.rows, sets);
  rows.records.release();
  rows.activities.values.release();
  rows.classes.lists.values.release();
  const texts = await layingOut;
  const summary: SummaryArrays = { ...texts.summary, ...values.summary };
  const wordPositions = packPositions(words.starts);
  const numberPositions = packPositions(texts.numbers.starts);
  const searched = {
    ...wordArrays,
    ...describeWords(wordArrays),
    words: words.groups,
    wordsStarts: wordPositions.starts,
    wordsSteps: wordPositions.steps,
    ...bridges.arrays,
    numberText: texts.numbers.bytes,
    numberStarts: numberPositions.starts,
    numberSteps: numberPositions.steps,
    ...buildGrams(texts.numbers.bytes, texts.numbers.starts, count),
  };

  const edges = { heads: TextList.from(bridges.heads), tails: TextList.from(bridges.tails) };
  const matcher = createMatcher({ ...summary, ...searched }, edges);
  const broad = findBroad(await finding, searched, bridges, matcher, count, threshold);
  const storeBroad = (words: ReadonlyMap<string, BroadWord>) => {
    const add = (place: keyof BroadWord) => sets.addAll(words.values().map((word) => word[place]));
    return { broadSet: add('inside'), broadStartSet: add('start'), broadWholeSet: add('whole') };
  };
  const filters = {
    ...values.filters,
    ...storeBroad(broad.fragments),
    broadNumberSet: sets.addAll(broad.numbers.values()),
  };
  const storeAliases = ({ arrays, broad }: (typeof texts.aliases)[AliasKind]): AliasArrays => {
    return { ...arrays, ...describeWords(arrays), ...storeBroad(broad) };
  };

  // A word with more documents than the threshold is itself a broad fragment, so its own list is never read.
  const rareDocs = withoutLong(wordDocs, threshold);
  const arrays: IndexArrays = {
    ...summary,
    ...searched,
    ...texts.otherNames,
    ...prefixAll('romanised', storeAliases(texts.aliases.romanised)),
    ...prefixAll('former', storeAliases(texts.aliases.former)),
    ...rareDocs,
    ...sets.toArrays(),
    ...filters,
  };
  const lists: TextsAs<Strings> = {
    columns: listValues(rows),
    activities: rows.activityTable.values(),
    formCodes: rows.formCodes.values().filter((code) => code !== null),
    heads: bridges.heads,
    tails: bridges.tails,
    broad: [...broad.fragments.keys()],
    broadNumbers: [...broad.numbers.keys()],
    'romanised.broad': [...texts.aliases.romanised.broad.keys()],
    'former.broad': [...texts.aliases.former.broad.keys()],
  };
  return { version, entities: count, texts: createTexts(lists, TextList.from), arrays, bytes: countBytes(arrays) };
}

/** The arrays by which similar words are found. */
function describeWords({ vocabularyText, vocabularyStarts }: WordArrays) {
  const sounds = hashSoundsOfWords(vocabularyText, vocabularyStarts);
  return {
    wordShapes: shapeWords(vocabularyText, vocabularyStarts),
    soundHashes: sounds.hashes,
    soundWords: sounds.numbers,
  };
}

/** Returns the promise, marked as handled: it may fail before it is awaited, and its failure is reported only where it is awaited. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** The minimum is small, so that an index of a few entities in a test has broad fragments, too. */
const MIN_THRESHOLD = 16;

function listValues(rows: ValueRows): Record<FewValuedName, (string | null)[]> {
  const lists = storedValueNames.map((name) => [name, rows.tables[name].values()]);
  return { ...Object.fromEntries(lists), isic: [...isicValues] } as ReturnType<typeof listValues>;
}
