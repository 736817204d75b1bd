import type { FewValuedName } from '../../base/entity-summary.ts';
import type { Narrow, Offsets, TextList } from './shared-arrays.ts';

/**
 * What an index consists of: typed arrays and a few lists of texts, all on shared memory. One thread builds it, all serving
 * threads read the same copy, and a file holds the arrays as they are. It never changes once built. Entities are called
 * documents here; they are numbered in result order.
 *
 * The tables below name every array and the type of its elements. The TypeScript types and the file format
 * (`index-file.ts`) derive from these tables. An array `xStarts` has one entry more than `x` has lists: the position where each
 * list begins and, at the end, the position where the last list ends. If there is `xSteps`, both have these positions (`Positions`).
 */
export interface SearchIndex {
  /** The version of the data that the index was built from: see `describeVersion`. */
  readonly version: string;
  readonly entities: number;
  readonly texts: IndexTexts;
  readonly arrays: IndexArrays;
  /** The size of all arrays. */
  readonly bytes: number;
}

/**
 * `narrow` arrays use 1, 2 or 4 bytes per element, as few as the largest value needs. `offsets` are positions in another
 * array; they use 4 bytes, or 8 if that array is so long that 32 bits are too few.
 */
interface ArrayTypes {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly shorts: Uint16Array<SharedArrayBuffer>;
  readonly numbers: Uint32Array<SharedArrayBuffer>;
  readonly narrow: Narrow;
  readonly offsets: Offsets;
}
type ArraysOf<Table extends Record<string, keyof ArrayTypes>> = {
  readonly [Name in keyof Table]: ArrayTypes[Table[Name]];
};

function listArrays<Type extends keyof ArrayTypes, const Name extends string>(type: Type, ...names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, type])) as Record<Name, Type>;
}

/** The words of names of one kind. */
const wordArrays = {
  // The vocabulary and its suffixes (`build/suffixes.ts`), and the documents of each word.
  ...listArrays('bytes', 'vocabularyText'),
  ...listArrays('narrow', 'suffixOffset'),
  ...listArrays('numbers', 'suffixWord', 'wordDocs'),
  ...listArrays('offsets', 'vocabularyStarts', 'wordDocsStarts'),
  // The letters of each word, to find similar words (`match/word-shapes.ts`), and the words of three or more sounds, sorted by the
  // hashes of their sounds (`match/sounds.ts`).
  ...listArrays('numbers', 'wordShapes', 'soundHashes', 'soundWords'),
};

/** The stored sets of each broad fragment: of documents with the fragment anywhere, at the beginning of a word, and as a whole word. */
const broadArrays = listArrays('numbers', 'broadSet', 'broadStartSet', 'broadWholeSet');

/** The arrays that matching a fragment reads. */
const matchArrays = {
  ...wordArrays,
  // The words of each document.
  ...listArrays('numbers', 'words'),
  // Where one word ends and the next begins (`build/bridges.ts`): the tails of each head, ascending, which is the order of bridge
  // numbers; the first group of each bridge; the two words of each group, `ANY_WORD` for different words; and the documents of each group.
  ...listArrays('numbers', 'bridgeTails', 'bridgeTailsStarts', 'bridgeGroups', 'pairLeft', 'pairRight', 'bridgeDocs'),
  // Registration numbers: their text; and for every four bytes in a number (`build/grams.ts`) its documents, as gaps (`encodings.ts`).
  ...listArrays('bytes', 'numberText'),
  ...listArrays('numbers', 'grams'),
  ...listArrays('shorts', 'gramDocs'),
  ...listArrays('offsets', 'wordsStarts', 'bridgeDocsStarts', 'numberStarts', 'gramDocsStarts'),
  ...listArrays('narrow', 'wordsSteps', 'numberSteps'),
};
export type MatchArrays = ArraysOf<typeof matchArrays>;

/** Former and further names (`other-names.ts`): the documents that have such names, and the names. */
const otherNameArrays = {
  ...listArrays('bytes', 'otherNameText'),
  ...listArrays('offsets', 'otherNameStarts'),
  ...listArrays('numbers', 'otherNameDocs', 'otherNameHashes', 'otherNamePositions'),
};
export type OtherNameArrays = ArraysOf<typeof otherNameArrays>;

/**
 * Words besides the words of current names (`search/words.ts`): `romanised` has words of current names in Latin letters, `former` has
 * words of former and other names.
 */
export const aliasKinds = ['romanised', 'former'] as const;
export type AliasKind = (typeof aliasKinds)[number];
const aliasArrays = { ...wordArrays, ...broadArrays };
export type AliasArrays = ArraysOf<typeof aliasArrays>;
type Prefixed<Kind extends AliasKind, Table> = {
  readonly [Name in keyof Table & string as `${Kind}.${Name}`]: Table[Name];
};

/** Renames the arrays of a kind of names to their names in an index. */
export function prefixAll<Kind extends AliasKind, Table extends object>(kind: Kind, table: Table) {
  const entries = Object.entries(table).map(([name, value]) => [`${kind}.${name}`, value] as const);
  return Object.fromEntries(entries) as Prefixed<Kind, Table>;
}

export function aliasArraysOf(arrays: IndexArrays, kind: AliasKind): AliasArrays {
  const names = Object.keys(aliasArrays) as (keyof AliasArrays)[];
  return Object.fromEntries(names.map((name) => [name, arrays[`${kind}.${name}`]])) as unknown as AliasArrays;
}

/** Stored sets of documents (`sets.ts`): a list in `setDocs`, often packed, or the bitmap with the number `setBitmap` minus one. */
const setArrays = {
  ...listArrays('numbers', 'setSizes', 'setDocs', 'setBitmap', 'bits', 'blockCounts'),
  ...listArrays('offsets', 'setDocsStarts'),
};
export type SetArrays = ArraysOf<typeof setArrays>;

/** The number of the stored set of each value of a filter and of each broad fragment. */
const filterArrays = {
  ...listArrays('numbers', 'countrySet', 'registerSet', 'jurisdictionSet', 'statusSet', 'legalFormSet', 'formCodeSet'),
  ...listArrays('numbers', 'activitySet', 'broadNumberSet'),
  ...broadArrays,
  // The number of each document's combination of values, and the parts of all combinations (`encodings.ts`).
  ...listArrays('narrow', 'combination'),
  ...listArrays('numbers', 'combinationParts'),
  // ISIC codes (`build/activity-rows.ts`): the set of each code; and for each document, the number of a combination of a main code and of
  // the industries of all its activities (`encodings.ts`).
  ...listArrays('numbers', 'isicSet', 'industryIsic', 'industryStarts'),
  ...listArrays('narrow', 'industry'),
  ...listArrays('bytes', 'industryLists'),
};

/**
 * The arrays from which a page of results is written, by the fields of `base/entity-summary.ts`: ids in 16 bytes; the name as JSON string
 * in UTF-8 without its quotation marks; for fields with few values, the number of the value in `IndexTexts.columns`, unless the number is
 * only in the combination.
 */
const summaryArrays = {
  ...listArrays('bytes', 'summary.id', 'summary.canonicalName.text'),
  ...listArrays('offsets', 'summary.canonicalName.starts'),
  ...listArrays('narrow', 'summary.canonicalName.steps', 'summary.countryCode', 'summary.city', 'summary.registeredAt'),
  // The registration number: two bits for how it is derived from the folded numbers (`encodings.ts`), and the numbers that cannot be
  // derived, as JSON strings without their quotation marks, with their documents.
  ...listArrays('numbers', 'summary.registrationNumber', 'otherNumberDocs'),
  ...listArrays('bytes', 'otherNumberText'),
  ...listArrays('offsets', 'otherNumberStarts'),
};
export type SummaryArrays = ArraysOf<typeof summaryArrays>;
/** The fields with an array of their own for the numbers of values. */
export type ColumnName = 'countryCode' | 'city' | 'registeredAt';

export type IndexArrays = SummaryArrays &
  MatchArrays &
  OtherNameArrays &
  Prefixed<'romanised', AliasArrays> &
  Prefixed<'former', AliasArrays> &
  SetArrays &
  ArraysOf<typeof filterArrays>;

/** Every array of an index and the type of its elements. */
export const arrayTypes: Readonly<Record<string, keyof ArrayTypes>> = {
  ...summaryArrays,
  ...matchArrays,
  ...otherNameArrays,
  ...prefixAll('romanised', aliasArrays),
  ...prefixAll('former', aliasArrays),
  ...setArrays,
  ...filterArrays,
};

const textLists = {
  /** Keys written by `activityKeys`; `activitySet` has the set of each key. */
  activities: 'texts',
  /** Codes of legal forms; `formCodeSet` has the set of each code. */
  formCodes: 'texts',
  /** The first two characters of words, sorted; and the last two characters, sorted from the last character. See `build/bridges.ts`. */
  heads: 'texts',
  tails: 'texts',
  /** Fragments with a stored set; `broadSet` and `broadNumberSet` have the set of each fragment. See `build/broad.ts`. */
  broad: 'texts',
  broadNumbers: 'texts',
  'romanised.broad': 'texts',
  'former.broad': 'texts',
} as const;

export interface IndexTexts extends Readonly<Record<keyof typeof textLists, TextList>> {
  /** The distinct values of each field with few values. */
  readonly columns: Readonly<Record<FewValuedName, TextList<string | null>>>;
}
export type EdgeTexts = Pick<IndexTexts, 'heads' | 'tails'>;

/** The text lists in another form: as strings in the file, or as the plain objects that another thread gets. */
export type TextsAs<List> = Readonly<Record<keyof typeof textLists, List>> & {
  readonly columns: Readonly<Record<FewValuedName, List>>;
};
export type Strings = readonly (string | null)[];

export function createTexts<List>(
  { columns, ...lists }: TextsAs<List>,
  create: (list: List) => TextList<string | null>,
): IndexTexts {
  const createEach = (some: Readonly<Record<string, List>>) =>
    Object.fromEntries(Object.entries(some).map(([name, list]) => [name, create(list)]));
  return { ...createEach(lists), columns: createEach(columns) } as unknown as IndexTexts;
}

/** Every part of an index and its type. The format of the file is derived from these parts. */
export const indexParts: Readonly<Record<string, string>> = { ...arrayTypes, ...textLists };

export function countBytes(arrays: IndexArrays): number {
  return Object.values(arrays).reduce((sum, array) => sum + array.byteLength, 0);
}
