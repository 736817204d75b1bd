import type { Db } from '../../../base/db/db.ts';
import type { StorePlace } from '../../../base/db/open.ts';
import { findVersion } from '../../../base/db/version.ts';
import { type FewValuedName, storedValueNames } from '../../../base/entity-summary.ts';
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
import { NO_DOCS } from '../sets.ts';
import { TextList } from '../shared-arrays.ts';
import { isicValues } from './activity-rows.ts';
import { type Assistant, createAssistant, createNoAssistant } from './assistant.ts';
import { buildBridges } from './bridges.ts';
import { type BroadWord, findBroad } from './broad.ts';
import { rowColumns } from './chunk.ts';
import { buildGrams } from './grams.ts';
import { reorderWords, sortByWords } from './order.ts';
import { invert, SetStore, withoutLong } from './postings.ts';
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
  if (!('snapshot' in source)) return buildWith(createAssistant(source));
  return source.snapshot(async (view) => indexChunks(await findVersion(view), dumpEntities(view, rowColumns)));
}

/**
 * Builds an index of some rows, in the calling thread. The chunks are in the format of a dump of `rowColumns`. Fragments with up to
 * `minThreshold` documents have no stored set.
 */
export async function indexChunks(
  version: string,
  chunks: AsyncIterable<Uint8Array>,
  minThreshold?: number,
): Promise<SearchIndex> {
  return buildWith(createNoAssistant(version, chunks), minThreshold);
}

async function buildWith(assistant: Assistant, minThreshold = MIN_THRESHOLD): Promise<SearchIndex> {
  try {
    const rows = createValueRows();
    const version = await assistant.read((chunk) => addValueRows(rows, chunk));
    endValueRows(rows);
    return await indexRows(version, rows, assistant, minThreshold);
  } finally {
    await assistant.close();
  }
}

async function indexRows(
  version: string,
  rows: ValueRows,
  assistant: Assistant,
  minThreshold: number,
): Promise<SearchIndex> {
  const { count } = rows;
  const { vocabulary, ranks } = sortVocabulary(rows.vocabulary);
  const sorting = handled(assistant.call('sortSuffixes', vocabulary));
  const { values: numbers, length } = rows.words.values;
  for (let at = 0; at < length; at++) numbers[at] = ranks[numbers[at] as number] as number;
  const starts = rows.words.starts.values;
  const order = sortByWords(count, rows.words.values.values, starts);
  const sortingNames = handled(assistant.call('sortEqualNames', order));
  const threshold = Math.max(minThreshold, Math.floor(count / 32));
  const layingOut = handled(assistant.call('layOutTexts', threshold));

  const words = reorderWords(rows.words.values.values, starts.subarray(0, count + 1), order.rows);
  rows.words.values.release();
  const wordPostings = invert(words, ranks.length);
  const bridges = buildBridges(vocabulary, words.groups, words.starts, count);
  const suffixes = await sorting;
  const wordArrays = {
    vocabularyText: vocabulary.text,
    vocabularyStarts: vocabulary.starts,
    ...suffixes,
    wordDocs: wordPostings.docs,
    wordDocsStarts: wordPostings.starts,
  };
  const finding = handled(assistant.call('findBroadWords', wordArrays, count, threshold));
  await sortingNames;
  const sets = new SetStore(count);
  const values = layOutValues(rows, order.rows, sets);
  rows.records.release();
  rows.activities.values.release();
  const texts = await layingOut;
  const summary: SummaryArrays = { ...texts.summary, ...values.summary };
  const searched = {
    ...wordArrays,
    ...describeWords(wordArrays),
    words: words.groups,
    wordsStarts: words.starts,
    ...bridges.arrays,
    numberText: texts.numbers.bytes,
    numberStarts: texts.numbers.starts,
    separatedNumbers: texts.separatedNumbers,
    ...buildGrams(texts.numbers.bytes, texts.numbers.starts, count),
  };

  const edges = { heads: TextList.from(bridges.heads), tails: TextList.from(bridges.tails) };
  const matcher = createMatcher({ ...summary, ...searched }, edges);
  const broadWords = await finding;
  const inWords = new Map(Array.from(broadWords, ([fragment, { inside }]) => [fragment, inside]));
  const broad = findBroad(inWords, searched, bridges, matcher, count, threshold);

  const activities = [...rows.activityTable.texts()];
  const classes = rows.classes.layOut(activities, order.rows, summary['summary.isic']);
  const addWords = (words: Iterable<BroadWord | undefined>, place: keyof BroadWord) =>
    sets.addAll(Array.from(words, (word) => word?.[place] ?? NO_DOCS));
  const broadOf = () => broad.fragments.keys().map((fragment) => broadWords.get(fragment));
  const filters = {
    ...values.filters,
    broadSet: sets.addAll(broad.fragments.values()),
    broadStartSet: addWords(broadOf(), 'start'),
    broadWholeSet: addWords(broadOf(), 'whole'),
    broadNumberSet: sets.addAll(broad.numbers.values()),
    activityIsic: classes.isicOfKeys,
    isicSet: sets.addGroups(classes.others),
    ...classes.industries,
  };

  const storeAliases = (kind: AliasKind): AliasArrays => {
    const { arrays, broad } = texts.aliases[kind];
    return {
      ...arrays,
      ...describeWords(arrays),
      broadSet: addWords(broad.values(), 'inside'),
      broadStartSet: addWords(broad.values(), 'start'),
      broadWholeSet: addWords(broad.values(), 'whole'),
    };
  };

  // A word with more documents than the threshold is itself a broad fragment, so its own list is never read.
  const rare = withoutLong(wordPostings, threshold);
  const arrays: IndexArrays = {
    ...summary,
    ...searched,
    ...texts.otherNames,
    ...prefixAll('romanised', storeAliases('romanised')),
    ...prefixAll('former', storeAliases('former')),
    wordDocs: rare.docs,
    wordDocsStarts: rare.starts,
    ...sets.toArrays(),
    ...filters,
  };
  const lists: TextsAs<Strings> = {
    columns: listValues(rows),
    activities,
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
