import { type FewValuedName, fewValuedNames } from '../../../core/entity-summary.ts';
import type { Db } from '../../../db/db.ts';
import type { Location } from '../../../db/open.ts';
import { createMatcher } from '../answer/matcher.ts';
import { countBytes, type IndexArrays, type IndexTexts, type SearchIndex } from '../search-index.ts';
import { shareNumbers } from '../shared-arrays.ts';
import { type Assistant, createAssistant, createNoAssistant } from './assistant.ts';
import { buildBridges } from './bridges.ts';
import { findBroad } from './broad.ts';
import { reorderLists, takeColumnInput } from './columns.ts';
import { findFormGroups } from './form-groups.ts';
import { sortDocuments } from './order.ts';
import { invert, withoutGroups } from './postings.ts';
import { type Rows, readRows } from './rows.ts';
import { SetStore } from './set-store.ts';
import { sortVocabulary } from './suffixes.ts';

/**
 * Builds an index from the store. This folder owns every step from the rows of the store to the arrays of
 * `search-index.ts`; answering from them is the business of `answer/`. The steps, in order:
 *
 * 1. `rows.ts` reads the rows as bytes and numbers every distinct word and value (`byte-table.ts`,
 *    `growing-arrays.ts`, `texts.ts`).
 * 2. `suffixes.ts` sorts the words and all their suffixes.
 * 3. `order.ts` sorts the documents by the numbers of their words.
 * 4. `columns.ts`, on a second thread (`assistant.ts`), puts everything else into that order (`json-texts.ts`,
 *    `number-column.ts`, `form-groups.ts`), with `grams.ts` for registration numbers; meanwhile `postings.ts` lists the
 *    documents of each word, and `bridges.ts` (`edges.ts`, `frequent-pairs.ts`) those of each transition between two
 *    words.
 * 5. `broad.ts` finds the fragments whose documents are stored as sets (`set-store.ts`). It asks the matcher of
 *    `answer/`, which is why the searched arrays are complete by then.
 *
 * With a location, the build reads from there with the help of a second thread; with a store, it does everything in the
 * calling thread. `onStep` is called with the name of each step.
 */
export async function buildIndex(
  source: Db | Pick<Location, 'databaseUrl' | 'dataDir'>,
  onStep: (step: string) => void = () => undefined,
): Promise<SearchIndex> {
  const assistant = 'snapshot' in source ? createNoAssistant(source) : createAssistant(source);
  try {
    onStep('reading the records');
    const { version, rows } = await assistant.read(async (version, chunks) => ({
      version,
      rows: await readRows(chunks),
    }));
    return await indexRows(version, rows, assistant, onStep);
  } finally {
    await assistant.close();
  }
}

async function indexRows(
  version: string,
  rows: Rows,
  assistant: Assistant,
  onStep: (step: string) => void,
): Promise<SearchIndex> {
  const { count } = rows;
  onStep('sorting words');
  const { vocabulary, ranks } = sortVocabulary(rows.vocabulary);
  const found = rows.words.values;
  for (let at = 0; at < found.length; at++) found.values[at] = ranks[found.values[at] as number] as number;
  onStep('sorting documents');
  const order = sortDocuments(rows, found.values, ranks.length);
  const { groups, formCodes } = findFormGroups(rows.columns.legalForm, rows.formCodes);
  const laidOut = assistant.layOut(takeColumnInput(rows, groups), order);
  // Awaited below; until then a failure must not count as unhandled.
  laidOut.catch(() => undefined);

  onStep('words');
  const words = reorderLists({ values: found.values, starts: rows.words.starts.values }, order);
  const wordPostings = invert(words.values, words.starts, count, ranks.length);
  const bridges = buildBridges(vocabulary, words.values, words.starts, count);
  onStep('columns');
  const columns = await laidOut;
  const searched = {
    vocabularyText: vocabulary.text,
    vocabularyStarts: vocabulary.starts,
    suffixWord: vocabulary.suffixWord,
    suffixOffset: vocabulary.suffixOffset,
    words: words.values,
    wordsStarts: words.starts,
    wordDocs: wordPostings.docs,
    wordDocsStarts: wordPostings.starts,
    bridgeTails: shareNumbers(bridges.bridgeTails),
    bridgeTailsStarts: shareNumbers(bridges.bridgeTailsStarts),
    bridgeGroups: shareNumbers(bridges.bridgeGroups),
    pairLeft: shareNumbers(bridges.pairLeft),
    pairRight: shareNumbers(bridges.pairRight),
    bridgeDocs: bridges.postings.docs,
    bridgeDocsStarts: bridges.postings.starts,
    numberText: columns.numbers.bytes,
    numberStarts: columns.numbers.starts,
    separatedNumbers: columns.separatedNumbers,
    grams: shareNumbers(columns.grams.grams),
    gramDocs: columns.grams.postings.docs,
    gramDocsStarts: columns.grams.postings.starts,
  };

  onStep('broad fragments');
  const threshold = Math.max(MIN_THRESHOLD, Math.floor(count / 32));
  const broad = findBroad(
    searched,
    bridges,
    createMatcher({ ...columns.summary, ...searched }, bridges),
    count,
    threshold,
  );

  onStep('sets');
  const sets = new SetStore(count);
  const broadSet = sets.addAll(broad.fragments.values());
  const broadNumberSet = sets.addAll(broad.numbers.values());
  const countrySet = sets.addGroups(columns.countries);
  const registerSet = sets.addGroups(columns.registers);
  const statusSet = sets.addGroups(columns.statuses);
  const legalFormSet = sets.addGroups(columns.legalForms);
  const activitySet = sets.addGroups(columns.activities);

  // A word with more documents than the threshold is itself a broad fragment, so its own list is never read.
  const rare = withoutGroups(wordPostings, (_word, length) => length > threshold);
  const arrays: IndexArrays = {
    ...columns.summary,
    ...searched,
    wordDocs: rare.docs,
    wordDocsStarts: rare.starts,
    ...sets.toArrays(),
    countrySet: shareNumbers(Uint32Array.from(countrySet)),
    registerSet: shareNumbers(Uint32Array.from(registerSet)),
    statusSet: shareNumbers(Uint32Array.from(statusSet)),
    legalFormSet: shareNumbers(Uint32Array.from(legalFormSet)),
    activitySet: shareNumbers(Uint32Array.from(activitySet)),
    broadSet: shareNumbers(Uint32Array.from(broadSet)),
    broadNumberSet: shareNumbers(Uint32Array.from(broadNumberSet)),
  };
  const texts: IndexTexts = {
    columns: listValues(rows),
    activities: [...rows.activityTable.texts()],
    formCodes,
    heads: bridges.heads,
    tails: bridges.tails,
    broad: [...broad.fragments.keys()],
    broadNumbers: [...broad.numbers.keys()],
  };
  return { version, entities: count, texts, arrays, bytes: countBytes(arrays) };
}

/** Small, so that a test with a few entities has broad fragments too. */
const MIN_THRESHOLD = 16;

function listValues(rows: Rows): Record<FewValuedName, (string | null)[]> {
  const lists = fewValuedNames.map((name) => [name, rows.columns[name].table.values()]);
  return Object.fromEntries(lists) as ReturnType<typeof listValues>;
}
