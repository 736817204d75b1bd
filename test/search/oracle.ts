import { type StoredSummary, storedNames } from '../../src/base/entity-summary.ts';
import { fold as foldText } from '../../src/base/fold.ts';
import { romanise } from '../../src/base/romanise.ts';
import { readForm } from '../../src/registers/classifications/elf.ts';
import {
  type ClassifiableActivity,
  findIsic,
  findMainIsic,
  isicCodes,
} from '../../src/registers/classifications/isic.ts';

/**
 * The definition of search as a plain loop over records. The engines are compared with it. It shares `fold` with them, the ISIC code of
 * an activity, the meaning of a legal form and `romanise`, which have their own tests with literal expectations, and no other code.
 */
export interface OracleRecord extends StoredSummary {
  readonly numbers: readonly string[];
  /** Former and other names. */
  readonly otherNames: readonly string[];
  readonly legalFormCode: string | null;
  readonly activities: readonly OracleActivity[];
}

export interface OracleActivity {
  readonly type: 'licensed' | 'unlicensed';
  readonly code: string | null;
  readonly label: string | null;
  readonly written?: string;
  readonly scheme: string;
  readonly edition?: string;
  readonly main?: boolean;
}

export interface OracleQuery {
  readonly q: string;
  readonly words: string;
  readonly country: string | undefined;
  readonly register: string | undefined;
  readonly jurisdiction: string | undefined;
  readonly status: string | undefined;
  readonly legalForm: string | undefined;
  readonly legalFormCode: string | undefined;
  readonly elf: string | undefined;
  readonly legalFormClass: string | undefined;
  readonly activity: string | undefined;
  readonly activityType: 'licensed' | 'unlicensed';
  readonly isic: string | undefined;
  readonly registeredFrom: string | undefined;
  readonly registeredTo: string | undefined;
  readonly sort: 'name' | '-registeredAt' | '-updatedAt' | 'relevance';
  readonly page: number;
  readonly pageSize: number;
}

export interface OracleAnswer {
  readonly total: number;
  /** The ids on the page. */
  readonly ids: readonly string[];
  /** The complete reply, as JSON text. */
  readonly body: string;
}

export function askOracle(records: readonly OracleRecord[], query: OracleQuery): OracleAnswer {
  const { page, pageSize } = query;
  const compare =
    query.sort === 'relevance' ? compareRelevance(records, query.words) : compareBy.bind(null, query.sort);
  const matches = records.filter((record) => isMatch(record, query)).sort(compare);
  const total = matches.length;
  const shown = page - 1 > total / pageSize ? [] : matches.slice((page - 1) * pageSize, page * pageSize);
  const meta = { page, pageSize, pageCount: Math.ceil(total / pageSize), total };
  const words = wordsOf(query.words);
  const describe = (record: OracleRecord) => ({
    ...summarize(record),
    ...(words.length > 0 && { matchedName: findMatchedName(record, words) }),
  });
  const body = JSON.stringify({ data: shown.map(describe), meta });
  return { total, ids: shown.map(({ id }) => id), body };
}

/** Keeps results, because the same names, numbers and queries are compared again and again. */
function remember<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (!known.has(text)) known.set(text, work(text));
    return known.get(text) as T;
  };
}

const fold = remember(foldText);

function isMatch(record: OracleRecord, query: OracleQuery): boolean {
  const { country, register, status, legalForm, legalFormCode, activity, activityType } = query;
  if (country !== undefined && record.countryCode !== country) return false;
  if (register !== undefined && record.register !== register) return false;
  if (query.jurisdiction !== undefined && record.jurisdiction !== query.jurisdiction) return false;
  if (status !== undefined && record.status !== status) return false;
  if (legalForm !== undefined && record.legalForm !== legalForm) return false;
  if (legalFormCode !== undefined && record.legalFormCode !== legalFormCode) return false;
  const form = meaningOf(record);
  if (query.elf !== undefined && !query.elf.split(',').includes(form.elf ?? '-')) return false;
  if (query.legalFormClass !== undefined && !query.legalFormClass.split(',').includes(form.legalFormClass ?? '-'))
    return false;
  if (activity !== undefined && !record.activities.some((one) => isActivity(one, activity, activityType))) return false;
  if (query.isic !== undefined && !record.activities.some((one) => isInIsic(one, query.isic ?? ''))) return false;
  const { registeredAt } = record;
  if (query.registeredFrom !== undefined && (registeredAt === null || registeredAt < query.registeredFrom))
    return false;
  if (query.registeredTo !== undefined && (registeredAt === null || registeredAt > query.registeredTo)) return false;
  if (!wordsOf(query.words).every((word) => hasWord(record, word))) return false;
  const wanted = fold(query.q.toWellFormed());
  return wanted === '' || hasFragment(record, wanted);
}

function hasFragment(record: OracleRecord, wanted: string): boolean {
  if (fold(record.canonicalName).includes(wanted)) return true;
  return record.numbers.some(
    (number) => holdsNumber(number, wanted) || isVatNumber(number, wanted, record.countryCode),
  );
}

/** Letters and digits; characters beyond ASCII are letters. */
export const wordsOf = remember((text): readonly string[] => {
  const isLetter = (character: string) =>
    (character >= 'a' && character <= 'z') || (character >= '0' && character <= '9') || character > '\u007f';
  const spaced = [...fold(text.toWellFormed())].map((character) => (isLetter(character) ? character : ' ')).join('');
  return [...new Set(spaced.split(' '))].filter((word) => word !== '');
});

interface Names {
  readonly current: readonly string[];
  readonly all: readonly string[];
}

const namesOf = new WeakMap<OracleRecord, Names>();

/** The words of the current name, and those of all names. */
function listNameWords(record: OracleRecord): Names {
  const list = (name: string) => [name, ...romanise(name, record.countryCode)].flatMap(wordsOf);
  return namesOf.getOrInsertComputed(record, () => {
    const current = list(record.canonicalName);
    return { current, all: [...current, ...record.otherNames.flatMap(list)] };
  });
}

function hasWord(record: OracleRecord, word: string): boolean {
  return listNameWords(record).all.some((one) => one.includes(word)) || hasFragment(record, word);
}

function isCurrent(record: OracleRecord, word: string): boolean {
  return listNameWords(record).current.some((one) => one.includes(word)) || hasFragment(record, word);
}

function findMatchedName(record: OracleRecord, words: readonly string[]): string | null {
  const missing = words.filter((word) => !isCurrent(record, word));
  const has = (name: string, word: string) =>
    [name, ...romanise(name, record.countryCode)].flatMap(wordsOf).some((one) => one.includes(word));
  return record.otherNames.find((name) => missing.some((word) => has(name, word))) ?? null;
}

function isNumber({ numbers }: OracleRecord, word: string): boolean {
  if ([...word].length < 5) return false;
  return numbers.some((number) => [fold(number), withoutSeparators(fold(number))].includes(word));
}

/** What is true of a better hit comes first. */
function compareRelevance(records: readonly OracleRecord[], asked: string) {
  const words = wordsOf(asked);
  const count = (word: string) => records.filter((record) => hasWord(record, word)).length;
  const counts = new Map(words.map((word) => [word, count(word)]));
  const rarest = words.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  const ranks = new Map<OracleRecord, readonly boolean[]>();
  const describe = (record: OracleRecord) => {
    const { all } = listNameWords(record);
    const isWhole = (word: string) => all.includes(word) || isNumber(record, word);
    return [
      [record.canonicalName, ...record.otherNames].some((name) => fold(name) === fold(asked.toWellFormed())),
      words.every(isWhole),
      words.every((word) => isWhole(word) || all.some((one) => one.startsWith(word))),
      words.every((word) => isCurrent(record, word)),
      ...rarest.map((_, at) => rarest.slice(0, rarest.length - at).every(isWhole)),
      record.status === 'active',
    ];
  };
  return (a: OracleRecord, b: OracleRecord) => {
    const [ofA, ofB] = [a, b].map((one) => ranks.getOrInsertComputed(one, describe)) as [boolean[], boolean[]];
    const at = ofA.findIndex((one, item) => one !== ofB[item]);
    return at < 0 ? compareRecords(a, b) : ofA[at] ? -1 : 1;
  };
}

function meaningOf({ register, legalForm, legalFormCode }: OracleRecord) {
  const { elf, legalFormClass } = readForm(register, legalFormCode, legalForm);
  return { elf: elf?.code ?? null, legalFormClass };
}

function isActivity({ type, code, label, written }: OracleActivity, value: string, wantedType: string): boolean {
  return type === wantedType && value !== '' && [code, label, written].includes(value);
}

function classify({ code, ...activity }: OracleActivity): ClassifiableActivity {
  return code === null ? activity : { ...activity, code };
}

function isInIsic(activity: OracleActivity, wanted: string): boolean {
  let codes = industries.get(activity);
  if (codes === undefined) {
    codes = listIndustries(activity);
    industries.set(activity, codes);
  }
  return wanted.split(',').some((one) => codes.has(one));
}

const industries = new WeakMap<OracleActivity, ReadonlySet<string>>();

/** The section, division, group and class of an activity, as far as they are known. */
function listIndustries(activity: OracleActivity): ReadonlySet<string> {
  const code = findIsic(classify(activity)) ?? '';
  const division = code.slice(0, 2);
  const sections = SECTIONS.filter(
    (section) => section[0] === code || (division >= section.slice(1, 3) && division <= section.slice(4)),
  );
  return new Set([
    ...sections.map((section) => section.slice(0, 1)),
    ...[2, 3, 4].map((length) => code.slice(0, length)),
  ]);
}

/** The first and the last division of each section, as ISIC Rev. 4 defines them. */
const SECTIONS = [
  'A01-03 B05-09 C10-33 D35-35 E36-39 F41-43 G45-47 H49-53 I55-56 J58-63 K64-66',
  'L68-68 M69-75 N77-82 O84-84 P85-85 Q86-88 R90-93 S94-96 T97-98 U99-99',
].flatMap((line) => line.split(' '));

function holdsNumber(number: string, wanted: string): boolean {
  if (fold(number).includes(wanted)) return true;
  const bare = readNumber(wanted);
  return bare !== undefined && withoutSeparators(fold(number)).includes(bare);
}

/** The query without separators, if it can be a number. */
const readNumber = remember((wanted) => {
  const characters = [...wanted];
  if (!characters.some((character) => character >= '0' && character <= '9')) return undefined;
  if (!characters.every((character) => isSeparator(character) || /^[\p{L}\p{N}]$/u.test(character))) return undefined;
  const bare = withoutSeparators(wanted);
  return bare !== wanted && [...bare].length < 5 ? undefined : bare;
});

/** The VAT numbers of the countries in `worlds.ts`, as their tax authorities define them. */
function isVatNumber(number: string, wanted: string, country: string): boolean {
  const national = withoutSeparators(fold(number));
  if (!/^\d+$/.test(national)) return false;
  const vat = withoutSeparators(wanted);
  if (country === 'BE') return national.length === 10 && vat === `be${national}`;
  if (country === 'RO') return /^\d{2,10}$/.test(national) && vat === `ro${national}`;
  return country === 'NO' && national.length === 9 && [`no${national}`, `no${national}mva`].includes(vat);
}

function isSeparator(character: string): boolean {
  return [' ', '.', '-', '/'].includes(character);
}

const withoutSeparators = remember((text) => [...text].filter((character) => !isSeparator(character)).join(''));

/** The newest first, without a date last, then by name. */
function compareBy(sort: Exclude<OracleQuery['sort'], 'relevance'>, a: OracleRecord, b: OracleRecord): number {
  if (sort === '-updatedAt' && a.updatedAt !== b.updatedAt) return b.updatedAt - a.updatedAt;
  if (sort === '-registeredAt' && a.registeredAt !== b.registeredAt) {
    if (a.registeredAt === null) return 1;
    return b.registeredAt === null || a.registeredAt > b.registeredAt ? -1 : 1;
  }
  return compareRecords(a, b);
}

/** How many results each value of a filter leads to, as the search with that value counts them. */
export function countByOracle(
  records: readonly OracleRecord[],
  query: OracleQuery,
  name: 'country' | 'status' | 'register' | 'jurisdiction' | 'legalForm' | 'legalFormClass' | 'isic',
) {
  const field = name === 'country' ? 'countryCode' : name;
  const values =
    field === 'isic'
      ? isicCodes.filter((code) => code.length <= 2)
      : new Set(records.flatMap((record) => ({ ...record, ...meaningOf(record) })[field] ?? []));
  const found = records.filter((record) => isMatch(record, { ...query, [name]: undefined }));
  const count = (value: string) => found.filter((record) => isMatch(record, { ...query, [name]: value })).length;
  return [...values]
    .map((value) => ({ value, entities: count(value) }))
    .filter(({ entities }) => entities > 0)
    .sort((a, b) => b.entities - a.entities || (a.value < b.value ? -1 : 1));
}

function compareRecords(a: OracleRecord, b: OracleRecord): number {
  return (
    compareCodePoints(fold(a.canonicalName), fold(b.canonicalName)) ||
    compareCodePoints(a.canonicalName, b.canonicalName) ||
    compareCodePoints(a.id, b.id)
  );
}

/** JavaScript compares UTF-16 units, which sorts U+FFFD after every emoji. */
function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // Not inside a pair of surrogates.
  if (at > 0 && isHighSurrogate(a.charCodeAt(at - 1))) at--;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function summarize(record: OracleRecord): Record<string, string | null> {
  const time = new Date(record.updatedAt).toISOString();
  const stored = storedNames.map((name) => [name, name === 'updatedAt' ? time : record[name]] as const);
  return { ...Object.fromEntries(stored), isic: findMainIsic(record.activities.map(classify)), ...meaningOf(record) };
}
