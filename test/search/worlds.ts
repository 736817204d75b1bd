import fc from 'fast-check';
import { sourceNames, summaryFields } from '../../src/core/entity-summary.ts';
import type { Db } from '../../src/db/db.ts';
import type { MappedRecord, Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { prepareRecord, readContent } from '../../src/registry/record.ts';
import {
  contentColumns,
  deleteAll,
  deleteEntities,
  insertEntities,
  type NewEntity,
  raiseGeneration,
} from '../../src/registry/store.ts';
import { anyCharacter } from '../harness/any-character.ts';
import type { OracleQuery, OracleRecord } from './oracle.ts';

/**
 * Random sets of entities ("worlds"), queries that are likely to find something in them, and functions that store them.
 * A test does
 *
 * fc.asyncProperty(scenarios(200), async ({ entities, queries, change, later }) => { const stored = await
 * storeWorld(db, entities, now); … send `queries` to every engine and to the oracle with recordsOf(stored) const
 * changed = await changeWorld(db, stored, change, now + 1); … send `later` })
 *
 * and stores the same world in several databases to compare engines.
 */
export interface Scenario {
  readonly entities: readonly WorldEntity[];
  readonly queries: readonly OracleQuery[];
  readonly change: Change;
  /** Queries for after the change. */
  readonly later: readonly OracleQuery[];
}

export interface WorldEntity {
  readonly country: Country;
  readonly record: MappedRecord;
}

/** A re-import. Entities are given by position, modulo their count. */
export interface Change {
  readonly changed: readonly (readonly [position: number, record: MappedRecord])[];
  readonly delisted: readonly number[];
  readonly added: readonly WorldEntity[];
}

const COUNTRIES = ['GB', 'NO', 'MD'] as const;
type Country = (typeof COUNTRIES)[number];

const WORDS = [
  ...['limited', 'LTD', 'Ltd.', 'as', 'A', 'b', 'bank', 'Banka', 'ban', 'S.R.L.', 'Holding', 'o', '7', '24', '007'],
  ...['Blåbær', 'ØRE', 'Łódź', 'Straße', 'STRASSE', 'café', 'cafe\u0301', 'ﬁn', 'Ǆ', 'İstanbul', 'ŠIĻĶE', '№5', 'x²'],
  ...['кредит', 'КРЕДИТ', 'Ёлка', 'Компания', 'й', 'Ελλάς', 'ΟΔΟΣ', 'ς', 'საქართველო', 'შპს', 'بنك', 'شركة', 'مـحـمد'],
  ...[
    '株式会社',
    '東京',
    'トヨタ',
    'ﾄﾖﾀ',
    '한국',
    '한',
    '🏢',
    '👩‍👩‍👧',
    '𝔘𝔫𝔦',
    '\ufffd',
    '\uffff',
    '100%',
    'a_b',
    'C:\\x',
    "O'Neill",
  ],
];
const BETWEEN = [
  ' ',
  ' ',
  ' ',
  '  ',
  '-',
  ' & ',
  '&',
  '. ',
  '.',
  ', ',
  ' (',
  ') ',
  '/',
  '_',
  '%',
  '\\',
  "'",
  '"',
  '\u00a0',
  '',
];
const ODD = [
  '\0',
  '\u0001',
  '\t',
  '\n',
  '\r\n',
  '\u0085',
  '\u200b',
  '\u0301',
  '\ud83c',
  '\udfe2',
  '\u2028',
  '%',
  '_',
  '\\',
  '"',
];

const word = fc.constantFrom(...WORDS);
const phrase = fc
  .array(fc.tuple(word, fc.constantFrom(...BETWEEN)), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.flat().slice(0, -1).join(''));
const oddPhrase = fc
  .array(fc.oneof(word, fc.constantFrom(...ODD), fc.constantFrom(...BETWEEN)), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));
const longPhrase = fc
  .tuple(fc.array(phrase, { minLength: 8, maxLength: 60, size: 'max' }), fc.integer({ min: 1, max: 4 }))
  .map(([parts, times]) => parts.join(' ').repeat(times).slice(0, 1_000));

const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: phrase },
  { weight: 3, arbitrary: word },
  { weight: 3, arbitrary: oddPhrase },
  {
    weight: 1,
    arbitrary: fc.tuple(word, fc.integer({ min: 2, max: 9 })).map(([text, times]) => `${text} `.repeat(times)),
  },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', 'Same Name AS', 'SAME NAME AS', 'Same  Name ÅS', '.', '%', 'a') },
  { weight: 1, arbitrary: longPhrase },
  { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }) },
);

/** Few different digits, so that fragments of one number occur in others. */
const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '2', '7'), minLength: 1, maxLength: 9 });
const number = fc.oneof(
  digits,
  fc.tuple(fc.constantFrom('SC', 'NO', 'ΑΦΜ', 'B-', 'LV ', '№', ''), digits).map(([prefix, rest]) => prefix + rest),
  fc
    .array(digits, { minLength: 1, maxLength: 3 })
    .chain((groups) => fc.constantFrom('-', '.', ' ', '/', ' - ', '_', '%').map((separator) => groups.join(separator))),
  fc.constantFrom('', '-', '0', 'ABC', 'abc.def', '１２３', '٣٤', '12\\7', 'x²'),
);

const CODES = ['62020', '62.02', '01', '1', '0'];
const LABELS = ['IT consultancy', 'it consultancy', 'Виноделие', 'a\nb', 'a\\nb', 'a\\', 'l62020', '1', '\n', "d'Art"];
const activity = fc.record({
  type: fc.constantFrom('licensed', 'unlicensed'),
  code: fc.option(fc.constantFrom('', ...CODES)),
  label: fc.option(fc.constantFrom('', ...LABELS)),
});

const LEGAL_FORMS = [
  'AS',
  'as',
  'ENK',
  'Private Limited Company',
  'Societate cu răspundere limitată',
  '',
  '100%',
  '株式会社',
];
const day = fc.constantFrom('1900-01-01', '1999-12-31', '2020-02-29', '2026-03-15');

const mapped: fc.Arbitrary<MappedRecord> = fc.record({
  number: fc.integer({ min: 1, max: 400 }).map(String),
  canonicalName: name,
  status: fc.constantFrom('active', 'inactive', 'in_liquidation', 'dissolved', 'unknown'),
  legalForm: fc.option(fc.constantFrom(...LEGAL_FORMS)),
  registeredAt: fc.option(day),
  registrations: fc.array(number.map(toRegistration), { maxLength: 3 }),
  activities: fc.array(activity, { maxLength: 3 }),
  registry: fc.constant({}),
});

function toRegistration(value: string): MappedRecord['registrations'][0] {
  return { authority: 'a', type: 'national', number: value, status: null, registeredAt: null, endedAt: null };
}

const entity: fc.Arbitrary<WorldEntity> = fc.record({ country: fc.constantFrom(...COUNTRIES), record: mapped });

/** 0 to 120 entities. Numbers repeat; of several entities with the same id the first is stored. */
export const worlds: fc.Arbitrary<readonly WorldEntity[]> = fc.oneof(
  { weight: 1, arbitrary: fc.array(entity, { maxLength: 3, size: 'max' }) },
  { weight: 6, arbitrary: fc.array(entity, { minLength: 30, maxLength: 120, size: 'max' }) },
);

export const changes: fc.Arbitrary<Change> = fc.record({
  changed: fc.array(fc.tuple(fc.nat(), mapped), { maxLength: 20 }),
  delisted: fc.array(fc.nat(), { maxLength: 10 }),
  added: fc.array(entity, { maxLength: 20 }),
});

/** With `count` queries before the change and as many after. */
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

/** Queries of which most find some of these records. */
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
      arbitrary: fc.constantFrom(
        ...'aobs07к株🏢ςß%_\\.&-\'"() ',
        '%%',
        '_a',
        '\\%',
        '. ',
        ' & ',
        '\u0301',
        'ss',
        'zzz',
      ),
    },
    { weight: 1, arbitrary: fc.oneof(phrase, oddPhrase) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  );
  const activities = records.flatMap((one) => one.activities.flatMap(({ code, label }) => [code, label]));
  const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
  return fc.record({
    q: fc.tuple(text, fc.constantFrom(same, same, upper, lower)).map(([value, turn]) => toQuery(turn(value))),
    country: rarely(fc.constantFrom(...COUNTRIES, 'ZZ')),
    legalForm: rarely(fc.constantFrom(...LEGAL_FORMS, 'ltd')),
    activity: rarely(fc.constantFrom(...activities.filter((one) => one !== null), ...CODES, ...LABELS)),
    activityType: fc.constantFrom('unlicensed', 'licensed'),
    page: fc.oneof(
      { weight: 6, arbitrary: fc.constant(1) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 1, arbitrary: fc.constantFrom(1_000, 2 ** 31, 2 ** 53 - 1) },
    ),
    pageSize: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 100 }), fc.constant(100)),
  });
}

/** Cut anywhere, even inside a surrogate pair. */
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

function spread([text, separator]: [string, string]): string {
  return [...text].join(separator);
}

/** The schema of the parameters rejects U+0000 and more than 200 characters. */
function toQuery(text: string): string {
  return text.replaceAll('\0', '').slice(0, 200);
}

export interface StoredEntity {
  readonly entity: WorldEntity;
  readonly record: OracleRecord;
}

/** Replaces everything in the store. */
export async function storeWorld(db: Db, entities: readonly WorldEntity[], now: number): Promise<StoredEntity[]> {
  const rows = new Map<string, Prepared>();
  for (const one of entities) {
    const prepared = prepare(one, now);
    if (!rows.has(prepared.record.id)) rows.set(prepared.record.id, prepared);
  }
  await db.transaction(async (tx) => {
    await deleteAll(tx);
    await insertEntities(tx, rowsOf(rows.values()));
    await raiseGeneration(tx, now);
  });
  return [...rows.values()];
}

/** Changes a stored world, in one transaction, as a re-import does. */
export async function changeWorld(
  db: Db,
  stored: readonly StoredEntity[],
  change: Change,
  now: number,
): Promise<StoredEntity[]> {
  const world = new Map<string, StoredEntity>(stored.map((one) => [one.record.id, one]));
  const renewed = new Map<string, Prepared>();
  const renew = (one: WorldEntity) => {
    const prepared = prepare(one, now);
    renewed.set(prepared.record.id, prepared);
  };
  const at = (position: number) => stored[position % stored.length]?.entity;
  for (const [position, record] of change.changed) {
    const old = at(position);
    if (old !== undefined) renew({ country: old.country, record: { ...record, number: old.record.number } });
  }
  for (const position of change.delisted) {
    const old = at(position);
    if (old !== undefined) renew({ country: old.country, record: { ...old.record, status: 'delisted' } });
  }
  for (const one of change.added) renew(one);
  const replaced = [...renewed.keys()].filter((id) => world.has(id));
  await db.transaction(async (tx) => {
    await deleteEntities(tx, replaced, replaced.length);
    await insertEntities(tx, rowsOf(renewed.values()));
    await raiseGeneration(tx, now);
  });
  for (const [id, one] of renewed) world.set(id, one);
  return [...world.values()];
}

export function recordsOf(stored: readonly StoredEntity[]): OracleRecord[] {
  return stored.map(({ record }) => record);
}

interface Prepared extends StoredEntity {
  readonly row: NewEntity;
}

/**
 * The oracle sees the summary as it is stored, which is what clients see, and numbers and activities as the source has
 * them.
 */
function prepare(one: WorldEntity, now: number): Prepared {
  const source = { layout: null, text: '{}' };
  const { id, content, contentHash } = prepareRecord(registerOf(one.country), one.record, source, 1, new Map());
  const values = readContent(content);
  const summary = sourceNames.map((name) => [name, values[contentColumns.indexOf(summaryFields[name].column)]]);
  const { registrations, activities } = one.record;
  const numbers = registrations.map((registration) => registration.number);
  const record = { id, ...Object.fromEntries(summary), updatedAt: now, numbers, activities };
  return { entity: one, record, row: { id, updatedAt: now, fileId: 1, place: 1, contentHash, content: values } };
}

function* rowsOf(prepared: Iterable<Prepared>): Generator<NewEntity> {
  for (const { row } of prepared) yield row;
}

function registerOf(country: Country): Register {
  return registers.find((register) => register.country === country) as Register;
}

/** The first page of everything. */
export const everything: OracleQuery = {
  q: '',
  country: undefined,
  legalForm: undefined,
  activity: undefined,
  activityType: 'unlicensed',
  page: 1,
  pageSize: 100,
};

/** A company with this name and number; other fields have the same values for all. */
export function company(
  canonicalName: string,
  number = canonicalName,
  fields: Partial<MappedRecord> = {},
): WorldEntity {
  const registration = { authority: 'a', type: 'national', number, status: null, registeredAt: null, endedAt: null };
  const common = { status: 'active', legalForm: null, registeredAt: null, activities: [], registry: {} } as const;
  return { country: 'GB', record: { ...common, number, canonicalName, registrations: [registration], ...fields } };
}
