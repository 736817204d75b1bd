import fc from 'fast-check';
import { romanise } from '../../src/base/romanise.ts';
import type { MappedRecord } from '../../src/registers/contract.ts';
import { anyCharacter } from '../harness/any-character.ts';
import { type OracleQuery, wordsOf } from './oracle.ts';
import {
  type Change,
  CODES,
  COUNTRIES,
  changes,
  FORM_CODES,
  JURISDICTIONS,
  LABELS,
  LEGAL_FORMS,
  oddPhrase,
  phrase,
  REGISTERS,
  type WorldEntity,
  WRITTEN,
  worlds,
} from './worlds.ts';

/** A world, a change to it, and queries for both: for `storeWorld`, `askOracle`, `changeWorld` and `askOracle` again. */
export interface Scenario {
  readonly entities: readonly WorldEntity[];
  readonly queries: readonly OracleQuery[];
  readonly change: Change;
  /** Queries for after the change. */
  readonly later: readonly OracleQuery[];
}

/** Scenarios with `count` queries before the change and as many after it. */
export function scenarios(count: number): fc.Arbitrary<Scenario> {
  return fc.tuple(worlds, changes).chain(([entities, change]) => {
    const renewed = [...change.changed.map(([, record]) => record), ...change.added.map(({ record }) => record)];
    const old = entities.map(({ record }) => record);
    return fc.record({
      entities: fc.constant(entities),
      queries: manyQueries(old, count),
      change: fc.constant(change),
      later: manyQueries([...old, ...renewed], count),
    });
  });
}

function manyQueries(records: readonly MappedRecord[], count: number): fc.Arbitrary<OracleQuery[]> {
  return fc.array(queries(records), { minLength: count, maxLength: count, size: 'max' });
}

/** Queries, most of which find some of these records. */
export function queries(records: readonly MappedRecord[]): fc.Arbitrary<OracleQuery> {
  const names = records.map(({ canonicalName }) => canonicalName).filter((text) => text !== '');
  const numbers = records.flatMap(({ registrations }) => registrations.map((one) => one.number)).filter(Boolean);
  const text = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    { weight: 3, arbitrary: fragmentOf([...names, 'a'], 1, 3) },
    { weight: 6, arbitrary: fragmentOf([...names, 'limited'], 3, 14) },
    { weight: 1, arbitrary: fragmentOf([...names, 'kredit'], 10, 200) },
    { weight: 2, arbitrary: fragmentOf([...numbers, '0'], 1, 9) },
    {
      weight: 1,
      arbitrary: fc.tuple(fragmentOf([...numbers, '007'], 2, 9), fc.constantFrom('-', '.', ' ')).map(spread),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...'aobs07к株🏢ςß%_\\.&-\'"() ', ...'%%|_a|\\%|. | & |\u0301|ss|zzz'.split('|')),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(..."100% #1 a&b c++ 24/7 2/47 o’n o'n a–b abcd - 1#2 oj".split(' ')),
    },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...numbers, '1'), fc.constantFrom(...VAT_FORMS)).map(addPrefix) },
    { weight: 1, arbitrary: fc.oneof(phrase, oddPhrase) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  );
  const activities = records.flatMap((one) =>
    one.activities.flatMap(({ code, label, written = null }) => [code, label, written]),
  );
  const days = [...records.flatMap(({ registeredAt }) => registeredAt ?? []), '1999-12-31', '2030-01-01'];
  const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
  const otherNames = records.flatMap(({ registry }) =>
    [registry.previousNames, registry.otherNames].flatMap((list) => (list as { name: string }[] | undefined) ?? []),
  );
  const all = [...names, ...otherNames.map(({ name }) => name), 'limited'];
  const latin = all.flatMap((name) => ['MD', 'GB'].flatMap((country) => romanise(name, country)));
  const wanted = fc.oneof(
    { weight: 4, arbitrary: fragmentOf(all, 1, 9) },
    { weight: 2, arbitrary: fragmentOf([...latin, 'a'], 2, 9) },
    { weight: 3, arbitrary: fc.constantFrom(...all.flatMap((name) => name.split(' ')), ...latin) },
    { weight: 1, arbitrary: fc.constantFrom(...all) },
    { weight: 1, arbitrary: fc.constantFrom(...numbers, '0', '07', 'a', 'ltd', 'limited', '&', "o'neill") },
  );
  const words = fc.oneof(
    { weight: 2, arbitrary: fc.constant('') },
    {
      weight: 3,
      arbitrary: fc
        .array(wanted, { minLength: 1, maxLength: 4 })
        .map((some) => toQuery(some.join(' ')))
        .filter((text) => wordsOf(text).length <= 20),
    },
  );
  return fc
    .record({
      q: fc.tuple(text, fc.constantFrom(same, same, upper, lower)).map(([value, turn]) => toQuery(turn(value))),
      words,
      country: rarely(fc.constantFrom(...COUNTRIES, 'ZZ')),
      register: rarely(fc.constantFrom(...REGISTERS, 'zz')),
      jurisdiction: rarely(fc.constantFrom(...JURISDICTIONS, 'ZZ')),
      status: rarely(fc.constantFrom('active', 'active', 'inactive', 'dissolved', 'delisted', 'insolvent')),
      legalForm: rarely(fc.constantFrom(...LEGAL_FORMS, ...FORM_CODES, 'ltd')),
      legalFormCode: rarely(fc.constantFrom(...FORM_CODES, ...LEGAL_FORMS)),
      elf: rarely(fc.constantFrom(...ELF)),
      legalFormClass: rarely(fc.constantFrom(...CLASSES)),
      activity: rarely(fc.constantFrom(...activities.filter((one) => one !== null), ...CODES, ...LABELS, ...WRITTEN)),
      activityType: fc.constantFrom('unlicensed', 'licensed'),
      isic: rarely(fc.constantFrom(...ISIC)),
      registeredFrom: rarely(fc.constantFrom(...days)),
      registeredTo: rarely(fc.constantFrom(...days)),
      sort: fc.constantFrom('name', 'name', '-registeredAt', '-updatedAt', 'relevance', 'relevance'),
      page: fc.oneof(
        { weight: 6, arbitrary: fc.constant(1) },
        { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
        { weight: 1, arbitrary: fc.constantFrom(1_000, 2 ** 31, 2 ** 53 - 1) },
      ),
      pageSize: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 100 }), fc.constant(100)),
    })
    .map((query) =>
      query.sort === 'relevance' && wordsOf(query.words).length === 0 ? { ...query, sort: 'name' } : query,
    );
}

const ELF = ['H0PO', 'YI42', 'H0PO,YI42', 'R85P', 'EXD7,ZZZZ', 'ZZZ9', 'XXXX'];
const CLASSES = ['limited_company', 'public_company', 'sole_trader', 'limited_company,sole_trader', 'branch', 'other'];
const ISIC = ['A', 'C', 'G', 'J', 'J,A', '62', '620', '6202', '01', '46', '68,6202', '4690', '99'];

/** A part of one of these texts, cut anywhere, even inside a surrogate pair. */
function fragmentOf(texts: readonly string[], least: number, most: number): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.integer({ min: least, max: most }))
    .map(([text, at, length]) => {
      const from = at % Math.max(1, text.length - least + 1);
      return text.slice(from, from + length);
    });
}

const same = (text: string) => text;
const upper = (text: string) => text.toUpperCase();
const lower = (text: string) => text.toLowerCase();

const VAT_FORMS = [
  ['BE', ''],
  ['be ', ''],
  ['NO', ''],
  ['NO', 'MVA'],
  ['NO ', ' mva'],
  ['MD', ''],
] as const;

function addPrefix([number, [before, after]]: [string, readonly [string, string]]): string {
  return before + number + after;
}

function spread([text, separator]: [string, string]): string {
  return [...text].join(separator);
}

/** The parameter schema rejects U+0000 and more than 4,000 characters. */
function toQuery(text: string): string {
  return text.replaceAll('\0', '').slice(0, 4_000);
}

/** The first page of everything. */
export const everything: OracleQuery = {
  q: '',
  words: '',
  country: undefined,
  register: undefined,
  jurisdiction: undefined,
  status: undefined,
  legalForm: undefined,
  legalFormCode: undefined,
  elf: undefined,
  legalFormClass: undefined,
  activity: undefined,
  activityType: 'unlicensed',
  isic: undefined,
  registeredFrom: undefined,
  registeredTo: undefined,
  sort: 'name',
  page: 1,
  pageSize: 100,
};
