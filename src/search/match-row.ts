import type { Queries } from '../base/db/db.ts';
import { fold } from '../base/fold.ts';
import { findActivityKeys, parseNumberFragment } from '../base/search-keys.ts';
import { listIsic, readActivities } from '../registers/classifications/activities.ts';
import { deriveForm, type FormFilter } from '../registers/classifications/elf.ts';
import { compileIsicFilter } from '../registers/classifications/isic.ts';
import { readVatNumber } from '../registers/vat-numbers.ts';
import { listOtherNames } from './other-names.ts';
import type { SearchQuery } from './search.ts';
import { readFormFilter } from './search.ts';
import { readSearchedRows, type SearchedRow } from './store.ts';
import { findMatchedName, listAliasWords, listWords } from './words.ts';

/** Whether one stored record matches a query. Queries mean the same as in both engines, but each record is tested by itself. */
export type MatchRow = (row: SearchedRow) => boolean;

type NamedRow = Pick<SearchedRow, 'canonicalName' | 'countryCode' | 'nameKey' | 'numberKeys' | 'namedRegistry'>;

export function compileMatch(query: SearchQuery): MatchRow {
  const tests: MatchRow[] = [];
  const { country, activity, isic, registeredFrom, registeredTo } = query;
  if (country !== undefined) tests.push((row) => row.countryCode === country);
  for (const name of ['register', 'jurisdiction', 'status', 'legalForm', 'legalFormCode'] as const) {
    const value = query[name];
    if (value !== undefined) tests.push((row) => row[name] === value);
  }
  const forms = readFormFilter(query);
  if (forms !== undefined) tests.push((row) => hasForm(forms, row));
  if (registeredFrom !== undefined)
    tests.push(({ registeredAt }) => registeredAt !== null && registeredAt >= registeredFrom);
  if (registeredTo !== undefined)
    tests.push(({ registeredAt }) => registeredAt !== null && registeredAt <= registeredTo);
  if (activity !== undefined) {
    const keys = findActivityKeys(query.activityType, activity);
    tests.push((row) => row.activityKeys.split('\n').some((key) => keys.includes(key)));
  }
  if (isic !== undefined) {
    const isIn = compileIsicFilter(isic);
    tests.push((row) => listIsic(readActivities(row.registry)).some(isIn));
  }
  for (const word of new Set(listWords(fold(query.words.toWellFormed())))) tests.push(compileWord(word));
  const text = fold(query.q.toWellFormed());
  if (text !== '') tests.push(compileFragment(text));
  return (row) => tests.every((test) => test(row));
}

function hasForm(filter: FormFilter, row: SearchedRow): boolean {
  const { elf, legalFormClass } = deriveForm(row);
  const isOneOf = (value: string | null, list: readonly string[] | undefined) =>
    list === undefined || (value !== null && list.includes(value));
  return isOneOf(elf, filter.elf) && isOneOf(legalFormClass, filter.legalFormClass);
}

function compileFragment(text: string): (row: NamedRow) => boolean {
  const number = parseNumberFragment(text);
  const vat = readVatNumber(text);
  const inNumber = (keys: string) => (number.asWritten ? keys.replace(/\t[^\n]*/g, '') : keys).includes(number.text);
  return ({ nameKey, numberKeys, countryCode }) =>
    nameKey.includes(text) ||
    inNumber(numberKeys) ||
    (vat?.country === countryCode && numberKeys.split(/[\t\n]/).includes(vat.number));
}

function compileWord(word: string): MatchRow {
  const isFragment = compileFragment(word);
  return (row) => isFragment(row) || aliasesOf(row).some((alias) => alias.includes(word));
}

/** The former or other name that a record was found by; null if its current name and numbers contain all words. */
export function compileMatchedName(words: readonly string[]): (row: NamedRow) => string | null {
  const tests = words.map((word) => [word, compileFragment(word)] as const);
  return (row) => {
    const names = listOtherNames(row.namedRegistry).map(({ text }) => text);
    if (names.length === 0) return null;
    const { romanised } = listAliasWords(row.canonicalName, row.countryCode, []);
    const missing = tests.filter(([word, test]) => !test(row) && ![...romanised].some((one) => one.includes(word)));
    return findMatchedName(
      names,
      missing.map(([word]) => word),
      row.countryCode,
    );
  };
}

const known = new WeakMap<SearchedRow, readonly string[]>();

/** Parses the other names of a row once, and only if a query has words. */
function aliasesOf(row: SearchedRow): readonly string[] {
  return known.getOrInsertComputed(row, ({ canonicalName, countryCode, namedRegistry }) => {
    const others = listOtherNames(namedRegistry).map(({ text }) => text);
    const { romanised, former } = listAliasWords(canonicalName, countryCode, others);
    return [...romanised, ...former];
  });
}

/** The names of the queries that each of these records matches, by the record's id. Records that match no query are left out. */
export async function findMatching<Name>(
  db: Queries,
  queries: ReadonlyMap<Name, MatchRow>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<Name>>> {
  const found = new Map<string, ReadonlySet<Name>>();
  for (const row of await readSearchedRows(db, ids)) {
    const names = new Set<Name>();
    for (const [name, matches] of queries) if (matches(row)) names.add(name);
    if (names.size > 0) found.set(row.id, names);
  }
  return found;
}
