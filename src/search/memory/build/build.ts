import type { Db } from '../../../base/db/db.ts';
import type { StorePlace } from '../../../base/db/open.ts';
import { type FewValuedName, storedValueNames } from '../../../base/entity-summary.ts';
import { createMatcher } from '../answer/matcher.ts';
import { sortBySound } from '../match/sounds.ts';
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
import { shareNumbers, TextList } from '../shared-arrays.ts';
import { isicValues } from './activity-rows.ts';
import { type Assistant, createAssistant, createNoAssistant, readFrom } from './assistant.ts';
import { buildBridges } from './bridges.ts';
import { findBroad, type WordArrays } from './broad.ts';
import type { BroadWord } from './broad-words.ts';
import { buildGrams } from './grams.ts';
import type { GrowingNumbers } from './growing-arrays.ts';
import { reorderWords, sortByWords } from './order.ts';
import { invert, SetStore, withoutGroups } from './postings.ts';
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
 * 4. The second thread puts the texts into this order (`texts.ts`) and indexes the words of other names (`aliases.ts`). The first thread
 *    puts words and values into this order, and lists the documents of each word and value (`postings.ts`), of each transition between
 *    two words (`bridges.ts`) and of each part of a registration number (`grams.ts`).
 * 5. `broad.ts` finds the fragments whose documents are stored as sets. It uses the matcher of `answer/`, which needs complete arrays
 *    of words and numbers.
 *
 * With the location of a store, the build uses a second thread, which opens the store; with an open store, the build does all
 * work in the calling thread.
 */
export async function buildIndex(source: Db | StorePlace): Promise<SearchIndex> {
  return buildWith('snapshot' in source ? createNoAssistant(readFrom(source)) : createAssistant(source));
}

/** Builds an index of some rows, in the calling thread. The chunks are in the format of a dump of `rowColumns`. */
export async function indexChunks(
  version: string,
  chunks: AsyncIterable<Uint8Array>,
  minThreshold?: number,
): Promise<SearchIndex> {
  const assistant = createNoAssistant((work) => work(version, chunks));
  return buildWith(assistant, minThreshold);
}

/** Fragments with up to `minThreshold` documents have no stored set. */
async function buildWith(assistant: Assistant, minThreshold = MIN_THRESHOLD): Promise<SearchIndex> {
  try {
    const rows = createValueRows();
    const version = await assistant.read(async (version, chunks) => {
      for await (const chunk of chunks) addValueRows(rows, chunk);
      return version;
    });
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
  renumber(rows.words.values, ranks);
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
  const values = layOutValues(rows, order.rows);
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
  const sets = new SetStore(count);
  const codes = withoutGroups(values.formCodes, (group) => group === 0);
  const share = (numbers: readonly number[]) => shareNumbers(Uint32Array.from(numbers));
  const filters = {
    broadSet: share(sets.addAll(broad.fragments.values())),
    broadStartSet: share(sets.addAll(broad.fragments.keys().map((key) => broadWords.get(key)?.start ?? NO_DOCS))),
    broadWholeSet: share(sets.addAll(broad.fragments.keys().map((key) => broadWords.get(key)?.whole ?? NO_DOCS))),
    broadNumberSet: share(sets.addAll(broad.numbers.values())),
    countrySet: share(sets.addGroups(values.countries)),
    registerSet: share(sets.addGroups(values.registers)),
    jurisdictionSet: share(sets.addGroups(values.jurisdictions)),
    statusSet: share(sets.addGroups(values.statuses)),
    legalFormSet: share(sets.addGroups(values.legalForms)),
    formCodeSet: share(sets.addGroups(codes).slice(1)),
    activitySet: share(sets.addGroups(values.activities)),
    ...values.combinations,
    activityIsic: classes.isicOfKeys,
    isicSet: share(sets.addGroups(classes.others)),
    ...classes.industries,
  };

  const storeAliases = (kind: AliasKind): AliasArrays => {
    const { arrays, broad } = texts.aliases[kind];
    const store = (place: keyof BroadWord) => share(sets.addAll(broad.values().map((word) => word[place])));
    return {
      ...arrays,
      ...describeWords(arrays),
      broadSet: store('inside'),
      broadStartSet: store('start'),
      broadWholeSet: store('whole'),
    };
  };

  // A word with more documents than the threshold is itself a broad fragment, so its own list is never read.
  const rare = withoutGroups(wordPostings, (_word, length) => length > threshold);
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
const describeWords = ({ vocabularyText, vocabularyStarts }: WordArrays) => ({
  wordShapes: shapeWords(vocabularyText, vocabularyStarts),
  ...sortBySound(vocabularyText, vocabularyStarts),
});

function renumber(words: GrowingNumbers, ranks: Uint32Array): void {
  const { values, length } = words;
  for (let at = 0; at < length; at++) values[at] = ranks[values[at] as number] as number;
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
