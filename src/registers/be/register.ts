/** Belgium: the Crossroads Bank for Enterprises. Nine tables in one zip are joined by enterprise number. */
import { fold } from '../../base/fold.ts';
import { compileStyle, findCountryCode } from '../address.ts';
import {
  type Activity,
  type Cell,
  type CodeRow,
  defineRegister,
  type EntityStatus,
  type JoinedRows,
  type MapContext,
  noRows,
} from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { companyFields, type Field, NO_COMMON, type State, tableFields } from '../fields.ts';
import { compact, groupContacts, readDate } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus, spread } from '../record.ts';
import type { AddressOf, ContactKind, LegalFormOf, NameType, TypedAddressOf } from '../vocabulary.ts';

type Context = MapContext<Codes>;
type BeField<Value> = Field<Enterprise, Codes, Value>;

const lists = readCodeLists('be');
const CONTACTS = lists.meanings<ContactKind>('contact');
/** The regions whose law defines a legal form, by the code of the form. */
const JURISDICTIONS = lists.meanings<string>('jurisdiction');

interface CodeText {
  /** The text in Dutch, or else in French or German. */
  readonly label: string;
  /** The texts in the languages that `label` is not in. */
  readonly otherLabels: readonly string[];
  /** All texts, by language (ISO 639-1). */
  readonly labels: { readonly [language: string]: string };
}

/** The code tables of the extract. */
interface Codes {
  /** The texts of a category by code; empty if the table lacks the category. */
  texts(category: string): ReadonlyMap<string, CodeText>;
  /** The status of an active enterprise by its juridical situation; undefined for a situation that is not known. */
  readonly situations: ReadonlyMap<string, EntityStatus>;
  /** The values of `meta.csv` by their names. */
  readonly meta: ReadonlyMap<string, string>;
}

const NO_TEXTS: ReadonlyMap<string, CodeText> = new Map();

function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const groupBy = (rows: readonly CodeRow[], column: string) => Map.groupBy(rows, (row) => (row[column] ?? '').trim());
  const rows = (tables.get('code') ?? []).filter(({ Description = '' }) => Description.trim() !== '');
  const categories = new Map(
    Array.from(groupBy(rows, 'Category'), ([category, codes]) => [
      category,
      new Map(Array.from(groupBy(codes, 'Code'), ([code, texts]) => [code, describeTexts(texts)])),
    ]),
  );
  const situations = Array.from(categories.get('JuridicalSituation') ?? [], ([code, { label, otherLabels }]) => {
    const status = lists.patterns<EntityStatus>('situation text')(fold([label, ...otherLabels].join(' ')));
    return status === undefined ? [] : [[code, status] as const];
  });
  return {
    texts: (category) => categories.get(category) ?? NO_TEXTS,
    situations: new Map([...situations.flat(), ...lists.meanings<EntityStatus>('situation')]),
    meta: new Map(tables.get('meta')?.map(({ Variable = '', Value = '' }) => [Variable.trim(), Value.trim()])),
  };
}

/** A text in another language is better than none. */
function describeTexts(rows: readonly CodeRow[]): CodeText {
  const texts = new Map(rows.map(({ Language = '', Description = '' }) => [Language.trim(), Description.trim()]));
  const languages = ['NL', 'FR', 'DE'].filter((language) => texts.has(language));
  const label = texts.get(languages[0] ?? '') ?? [...texts.values()][0] ?? '';
  return {
    label,
    otherLabels: [...new Set(texts.values())].filter((text) => text !== label),
    labels: Object.fromEntries(languages.map((language) => [language.toLowerCase(), texts.get(language) ?? ''])),
  };
}

/** A row of `enterprise` with its rows in the other tables: the join mixes these with the rows of its establishments and branches. */
interface Enterprise {
  readonly cell: Cell;
  readonly names: ReturnType<typeof describeNames>;
  readonly rows: JoinedRows;
  rowsOf(table: DetailTable, entity?: string): readonly Cell[];
}

const DETAILS = ['denomination', 'address', 'contact', 'activity'] as const;
type DetailTable = (typeof DETAILS)[number];
const NO_ROWS: readonly Cell[] = [];

function readEnterprise(cell: Cell, rows: JoinedRows): Enterprise {
  const group = (table: DetailTable) => Map.groupBy(rows(table), (row) => row('EntityNumber').trim());
  const details = new Map(DETAILS.map((table) => [table, group(table)]));
  const number = cell('EnterpriseNumber').trim();
  const rowsOf = (table: DetailTable, entity = number) => details.get(table)?.get(entity) ?? NO_ROWS;
  return { cell, names: describeNames(rowsOf('denomination')), rows, rowsOf };
}

/** `NNNN.NNN.NNN`: the last two digits are 97 minus the first eight modulo 97, so they range from 01 to 97. */
function isValidNumber(number: string): boolean {
  const digits = number.replaceAll('.', '');
  return /^[01]\d{9}$/.test(digits) && 97 - (Number(digits.slice(0, 8)) % 97) === Number(digits.slice(8));
}

const { text, day } = companyFields<Enterprise, Codes>();
const part = tableFields<Codes>();
const [readStart, readEnd] = [part.day('StartDate'), part.day('DateStrikingOff')];

/** A code with its text from a category of the code table. */
function codeOf(column: string, category: string): BeField<{ readonly code?: string; readonly label?: string }> {
  return ({ cell }, { codes }) => {
    const code = cell(column).trim();
    return code === '' ? null : compact({ code, label: codes.texts(category).get(code)?.label });
  };
}

const mapEnterprise = describeRecord<Enterprise, Codes>({
  name: ({ cell, names }) => (cell('EnterpriseNumber').trim() === '' ? null : names.name),
  // A few enterprises have no name in the files.
  substitute: text('EnterpriseNumber'),
  nameless: 'no number',
  number: text('EnterpriseNumber'),
  registeredAt: day('StartDate'),
  status: readStatus,
  legalForm: readLegalForm,
  registrations: [ownNumber('FOD Economie / SPF Économie (KBO/BCE)', isValidNumber)],
  activities: ({ rowsOf }, context) =>
    mergeActivities(rowsOf('activity'), context).map(({ groups, ...activity }): Activity => {
      const otherLabels = context.codes.texts(`Nace${activity.edition}`).get(activity.code)?.otherLabels ?? [];
      return { type: 'unlicensed', ...activity, otherLabels, scheme: 'NACE-BEL', national: { groups } };
    }),
  registry: {
    nameLanguage: ({ names }) => names.language,
    // `001` is an official name.
    nameTypeCode: ({ names }) => (names.typeCode === '001' ? null : names.typeCode),
    otherNames: ({ names }) => names.otherNames,
    status: ownStatus,
    registrationStatus: codeOf('Status', 'Status'),
    typeCode: text('TypeOfEnterprise'),
    // Most forms are forms of federal law, but the files do not state which.
    jurisdiction: ({ cell }) => JURISDICTIONS.get(cell('JuridicalForm').trim()) ?? null,
    legalFormCac: codeOf('JuridicalFormCAC', 'JuridicalForm'),
    addresses: spread(({ rowsOf }, context) => compact(describeAddresses(rowsOf('address'), context))),
    contacts: ({ rowsOf }) => describeContacts(rowsOf('contact')),
    establishments: (enterprise, context) => [
      ...listParts('establishment', 'EstablishmentNumber', enterprise, context),
      ...listParts('branch', 'Id', enterprise, context),
    ],
    activityGroups: listTexts('ActivityGroup'),
    classifications: listTexts('Classification'),
  },
});

function listParts(table: 'establishment' | 'branch', column: string, { rows, rowsOf }: Enterprise, context: Context) {
  return rows(table).map((row) => {
    const number = row(column).trim();
    const { name, language, otherNames } = describeNames(rowsOf('denomination', number));
    return compact({
      number,
      type: table === 'branch' ? table : null,
      name,
      nameLanguage: language,
      otherNames,
      from: readStart(row, context, NO_COMMON),
      ...describeAddresses(rowsOf('address', number), context),
      contacts: describeContacts(rowsOf('contact', number)),
      // Without `type` and `scheme`, which would be the same in tens of millions of activities.
      activities: mergeActivities(rowsOf('activity', number), context).map(({ label, ...activity }) =>
        label === null ? activity : { ...activity, label },
      ),
    });
  });
}

/** The public file has only `AC` (active); users of the file also list `ST` (stopped). */
function readStatus({ cell }: Enterprise, { codes, reportUnknown }: Context): State {
  const [status, code] = [cell('Status').trim(), cell('JuridicalSituation').trim()];
  const label = codes.texts('JuridicalSituation').get(code)?.label ?? null;
  if (status === 'ST') return { status: 'inactive', code, label };
  const decided = codes.situations.get(code);
  if (status !== 'AC') reportUnknown('status', 'Status', status);
  else if (decided === undefined) reportUnknown(label === null ? 'status' : 'listedStatus', 'JuridicalSituation', code);
  return { status: (status === 'AC' ? decided : null) ?? 'unknown', code, label };
}

/** A natural person has no legal form, so the type of the enterprise is used instead. */
function readLegalForm({ cell }: Enterprise, { codes, reportUnknown }: Context): LegalFormOf | null {
  const form = cell('JuridicalForm').trim();
  const category = form === '' ? 'TypeOfEnterprise' : 'JuridicalForm';
  const code = form || cell('TypeOfEnterprise').trim();
  if (code === '') return null;
  const texts = codes.texts(category);
  const known = texts.get(code);
  if (known === undefined && texts.size > 0) reportUnknown('legalForm', category, code);
  return { code, ...(known && { label: known.label, labels: known.labels }), scheme: `KBO ${category}` };
}

/** In order of preference: official, commercial, branch, abbreviated. Within a type the order of the file is kept. */
const NAME_ORDER = ['001', '003', '004', '002'];

/** The best name, and all other names as `otherNames`. An official name in a second language is a translation. */
function describeNames(rows: readonly Cell[]) {
  const names = rows.flatMap((row) => {
    const [name, typeCode] = [row('Denomination').trim(), row('TypeOfDenomination').trim()];
    const language = lists.meanings('language').get(row('Language').trim()) ?? null;
    const order = NAME_ORDER.indexOf(typeCode);
    return name === '' ? [] : { name, typeCode, language, order: order < 0 ? NAME_ORDER.length : order };
  });
  const [first, ...others] = names.sort((one, other) => one.order - other.order);
  if (first === undefined) return { name: null, language: null, typeCode: null, otherNames: null };
  const otherNames = others.map(({ name, typeCode, language }) => {
    const isTranslation = typeCode === first.typeCode && language !== null && language !== first.language;
    const type = lists.meanings<NameType>('name type').get(typeCode) ?? (isTranslation ? 'translation' : 'other');
    return { name, type, ...compact({ language, typeCode: type === 'other' ? typeCode : null }) };
  });
  return { ...first, otherNames };
}

/** The values by kind, each value once. A value of an unknown type is kept with its type. */
function describeContacts(rows: readonly Cell[]) {
  if (rows.length === 0) return null;
  const all = rows.map((row) => ({ type: row('ContactType').trim(), value: row('Value').trim() }));
  const filled = all.filter(({ value }) => value !== '');
  const contacts = groupContacts(filled.map(({ type, value }) => [CONTACTS.get(type), value]));
  return compact({ ...contacts, other: filled.filter(({ type }) => !CONTACTS.has(type)) });
}

/**
 * Lists each code of an edition once, with the authorities (`ActivityGroup`) that hold the code. The newest edition comes
 * first, and main activities come before other activities. The files repeat an activity for each edition of NACE-BEL.
 */
function mergeActivities(rows: readonly Cell[], { codes, reportUnknown }: Context) {
  const found = new Map<string, ReturnType<typeof declare>>();
  const declare = (code: string, edition: string) => {
    const texts = codes.texts(`Nace${edition}`);
    const label = texts.get(code)?.label ?? null;
    if (label === null && texts.size > 0) reportUnknown('activity', 'NaceCode', `${edition}/${code}`);
    return { code, label, edition, groups: [] as { group: string; classification: string }[], main: false };
  };
  for (const row of rows) {
    const [code, edition] = [row('NaceCode').trim(), row('NaceVersion').trim()];
    if (code === '') continue;
    const declared = found.getOrInsertComputed(`${edition}/${code}`, () => declare(code, edition));
    const classification = row('Classification').trim();
    if (classification === 'MAIN') declared.main = true;
    declared.groups.push({ group: row('ActivityGroup').trim(), classification });
  }
  return [...found.values()].sort((one, other) => {
    if (one.edition !== other.edition) return one.edition > other.edition ? -1 : 1;
    return Number(other.main) - Number(one.main);
  });
}

/** The texts of the codes of activities, once per record: repeated in each activity they would take gigabytes. */
function listTexts(category: 'ActivityGroup' | 'Classification'): BeField<{ readonly [code: string]: string }> {
  return ({ rows }, { codes }) => {
    const used: Record<string, string> = {};
    for (const row of rows('activity')) {
      const code = row(category).trim();
      const label = codes.texts(category).get(code)?.label;
      if (label !== undefined) used[code] = label;
    }
    return used;
  };
}

/** The main address is an address that is not struck off, preferably the seat. The other addresses follow in this order of preference. */
function describeAddresses(rows: readonly Cell[], context: Context) {
  const isEnded = (row: Cell) => row('DateStrikingOff').trim() !== '';
  const rank = (row: Cell) => (row('TypeOfAddress').trim() === 'REGO' ? 0 : 1) + (isEnded(row) ? 2 : 0);
  const [main, ...others] = rows.length < 2 ? rows : [...rows].sort((one, other) => rank(one) - rank(other));
  return {
    address: main === undefined ? null : describeAddress(main, context),
    addresses: others.flatMap((row): TypedAddressOf[] => {
      const address = describeAddress(row, context);
      const type = isEnded(row)
        ? 'former'
        : (lists.meanings<TypedAddressOf['type']>('address type').get(row('TypeOfAddress').trim()) ?? 'other');
      return address === null ? [] : [{ type, ...address }];
    }),
  };
}

const STYLE = compileStyle('{street} {house}, {details}, {postCode} {city}, {country}', 'kept');
/** The provinces where addresses are in French. */
const WALLOON = /^(1[34]|[4-7]\d)\d\d$/;

/** Dutch texts. French texts are added where they differ, and replace empty Dutch texts. An empty country means Belgium. */
function describeAddress(row: Cell, context: Context): AddressOf | null {
  const french = {
    street: row('StreetFR').trim(),
    city: row('MunicipalityFR').trim(),
    country: row('CountryFR').trim(),
  };
  const street = row('StreetNL').trim() || french.street;
  const city = row('MunicipalityNL').trim() || french.city;
  const country = row('CountryNL').trim() || french.country;
  const [number, unit, postCode] = [row('HouseNumber').trim(), row('Box').trim(), row('Zipcode').trim()];
  const details = row('ExtraAddressInfo').trim();
  const write = (box: string, parts: typeof french) =>
    STYLE(parts, { house: unit === '' ? number : `${number} ${box} ${unit}`, details, postCode });
  const isFrench = street === french.street && WALLOON.test(postCode);
  const text = write(isFrench ? 'bte' : 'bus', { street, city, country });
  if (text === '') return null;
  const differing = (written: string, shown: string) => (written === shown ? '' : written);
  const [streetFr, cityFr] = [differing(french.street, street), differing(french.city, city)];
  const shown = { street: streetFr || street, city: cityFr || city, country: french.country || country };
  return {
    text,
    ...compact({
      textFr: streetFr || cityFr ? write('bte', shown) : null,
      street,
      streetFr,
      ...{ number, unit, details, postCode, city },
      cityFr,
      country,
      // The names of countries follow no standard: `Duitsland (Bondsrep.)`. The French name may be known where the Dutch name is not.
      countryCode: country === '' ? 'BE' : (findAbroad(country) ?? findAbroad(french.country)),
      countryFr: differing(french.country, country),
      typeCode: row('TypeOfAddress').trim(),
      until: readEnd(row, context, NO_COMMON),
    }),
  };
}

function findAbroad(country: string): string | null {
  return findCountryCode(country, 'nl,fr,de');
}

function writeNumber(number: string): string {
  return number.replace(/^(\d{4})\.?(\d{3})\.?(\d{3})$/, '$1.$2.$3');
}

export const be = defineRegister<Codes>({
  id: 'be',
  tables: {
    enterprise: { map: (cell, context, rows = noRows) => mapEnterprise(readEnterprise(cell, rows), context, rows) },
  },
  writeNumber,
  numbers: [
    {
      kind: 'enterprise number',
      // Numbers from before 2005 have nine digits; a zero was later put in front of such numbers.
      form: /^[01]?\d{9}$/,
      write: (written) => writeNumber(written.padStart(10, '0')),
      check: isValidNumber,
    },
  ],
  readCodes,
  asOf: ({ meta }) => readDate(meta.get('SnapshotDate') ?? ''),
  refuse: ({ meta }) =>
    meta.get('ExtractType')?.toLowerCase() === 'update'
      ? 'This is an update extract, which holds changes only. Import the newest full extract (KboOpenData_…_Full.zip) instead.'
      : null,
});
