/** Names, addresses, contacts and activities of one entity: an enterprise, an establishment or a branch. */

import { compileStyle, findCountryCode } from '../address.ts';
import type { Activity, Cell, MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { NO_COMMON, tableFields } from '../fields.ts';
import { compact, groupContacts } from '../parsing.ts';
import type { AddressOf, TypedAddressOf } from '../vocabulary.ts';
import type { nameTypes } from '../vocabulary-values.ts';
import type { Codes } from './codes.ts';

type Context = MapContext<Codes>;

const lists = readCodeLists('be');
/** In order of preference: official, commercial, branch, abbreviated. Within a type the order of the file is kept. */
const NAME_TYPES = ['001', '003', '004', '002'];
const TYPES = lists.meanings<keyof typeof nameTypes>('name type');
const LANGUAGES = lists.meanings('language');
type ContactKind = 'emails' | 'phones' | 'websites' | 'faxes';
const CONTACTS = lists.meanings<ContactKind>('contact');
const ADDRESS_TYPES = lists.meanings<TypedAddressOf['type']>('address type');

/** The best name, and all other names as `otherNames`. An official name in a second language is a translation. */
export function describeNames(rows: readonly Cell[]) {
  const filled = rows.filter((row) => row('Denomination').trim() !== '');
  const [first, ...others] = filled.length < 2 ? filled : filled.sort((one, other) => rankName(one) - rankName(other));
  if (first === undefined) return { name: null, language: null, typeCode: null, otherNames: null };
  const [typeCode, language] = [typeOf(first), languageOf(first)];
  return {
    name: first('Denomination').trim(),
    language,
    typeCode,
    otherNames: others.map((row) => {
      const [code, otherLanguage] = [typeOf(row), languageOf(row)];
      const isTranslation = code === typeCode && otherLanguage !== null && otherLanguage !== language;
      const type = TYPES.get(code) ?? (isTranslation ? 'translation' : 'other');
      return {
        name: row('Denomination').trim(),
        type,
        ...(otherLanguage !== null && { language: otherLanguage }),
        ...(type === 'other' && { typeCode: code }),
      };
    }),
  };
}

function rankName(row: Cell): number {
  const index = NAME_TYPES.indexOf(typeOf(row));
  return index < 0 ? NAME_TYPES.length : index;
}

function typeOf(row: Cell): string {
  return row('TypeOfDenomination').trim();
}

function languageOf(row: Cell): string | null {
  return LANGUAGES.get(row('Language').trim()) ?? null;
}

/** The values by kind, each value once. A value of an unknown type is kept with its type. */
export function describeContacts(rows: readonly Cell[]) {
  if (rows.length === 0) return null;
  const all = rows.map((row) => ({ type: row('ContactType').trim(), value: row('Value').trim() }));
  const filled = Map.groupBy(all, ({ type, value }) => value !== '' && CONTACTS.has(type));
  const known = filled.get(true) ?? [];
  const other = (filled.get(false) ?? []).filter(({ value }) => value !== '');
  const contacts = groupContacts(known.map(({ type, value }) => [CONTACTS.get(type) as ContactKind, value]));
  return other.length === 0 ? contacts : { ...contacts, other };
}

const NO_LABELS: readonly string[] = [];

interface Declaration {
  readonly code: string;
  readonly label: string | null;
  readonly edition: string;
  readonly groups: { group: string; classification: string }[];
  main: boolean;
}

/**
 * Lists each code of an edition once, with the authorities (`ActivityGroup`) that hold the code. The newest edition comes
 * first, and main activities come before other activities. The files repeat an activity for each edition of NACE-BEL.
 */
function mergeActivities(rows: readonly Cell[], { codes, reportUnknown }: Context): Declaration[] {
  const found = new Map<string, Declaration>();
  for (const row of rows) {
    const code = row('NaceCode').trim();
    if (code === '') continue;
    const edition = row('NaceVersion').trim();
    const classification = row('Classification').trim();
    const key = `${edition}/${code}`;
    let declared = found.get(key);
    if (declared === undefined) {
      const texts = codes.texts(`Nace${edition}`);
      const label = texts.get(code)?.label ?? null;
      if (label === null && texts.size > 0) reportUnknown('activity', 'NaceCode', key);
      declared = { code, label, edition, groups: [], main: false };
      found.set(key, declared);
    }
    if (classification === 'MAIN') declared.main = true;
    declared.groups.push({ group: row('ActivityGroup').trim(), classification });
  }
  const sorted = [...found.values()];
  return sorted.length < 2 ? sorted : sorted.sort(compareActivities);
}

function compareActivities(one: Declaration, other: Declaration): number {
  if (one.edition !== other.edition) return one.edition > other.edition ? -1 : 1;
  return Number(other.main) - Number(one.main);
}

export function listActivities(rows: readonly Cell[], context: Context): Activity[] {
  return mergeActivities(rows, context).map(({ code, label, edition, groups, main }) => ({
    type: 'unlicensed',
    code,
    label,
    otherLabels: context.codes.texts(`Nace${edition}`).get(code)?.otherLabels ?? NO_LABELS,
    scheme: 'NACE-BEL',
    edition,
    main,
    national: { groups },
  }));
}

/** The activities without `type` and `scheme`, which would be the same in tens of millions of activities. */
export function describeActivities(rows: readonly Cell[], context: Context) {
  return mergeActivities(rows, context).map(({ label, ...activity }) =>
    label === null ? activity : { ...activity, label },
  );
}

/** The texts of the codes of activities, once per record: repeated in each activity they would take gigabytes. */
export function describeCodes(category: 'ActivityGroup' | 'Classification', rows: readonly Cell[], codes: Codes) {
  const texts = codes.texts(category);
  const used: Record<string, string> = {};
  for (const row of rows) {
    const code = row(category).trim();
    const label = texts.get(code)?.label;
    if (label !== undefined) used[code] = label;
  }
  return used;
}

/** The main address is an address that is not struck off, preferably the seat. The other addresses follow in this order of preference. */
export function describeAddresses(rows: readonly Cell[], context: Context) {
  if (rows.length === 0) return { address: null, addresses: null };
  const [main, ...others] =
    rows.length === 1 ? rows : [...rows].sort((one, other) => rankAddress(one) - rankAddress(other));
  return {
    address: main === undefined ? null : describeAddress(main, context),
    addresses: others.flatMap((row): TypedAddressOf[] => {
      const address = describeAddress(row, context);
      return address === null ? [] : [{ type: chooseType(row), ...address }];
    }),
  };
}

/** 0 is the seat and 1 another address; 2 is a seat and 3 another address that was struck off. */
function rankAddress(row: Cell): number {
  return (row('TypeOfAddress').trim() === 'REGO' ? 0 : 1) + (row('DateStrikingOff').trim() === '' ? 0 : 2);
}

function chooseType(row: Cell): TypedAddressOf['type'] {
  if (row('DateStrikingOff').trim() !== '') return 'former';
  return ADDRESS_TYPES.get(row('TypeOfAddress').trim()) ?? 'other';
}

const readEnd = tableFields<Codes>().day('DateStrikingOff');
const STYLE = compileStyle('{street} {house}, {details}, {postCode} {city}, {country}', 'kept');

/** Dutch texts. French texts are added where they differ, and replace empty Dutch texts. An empty country means Belgium. */
function describeAddress(row: Cell, context: Context): AddressOf | null {
  const [streetFr, cityFr, countryFr] = [row('StreetFR').trim(), row('MunicipalityFR').trim(), row('CountryFR').trim()];
  const street = row('StreetNL').trim() || streetFr;
  const city = row('MunicipalityNL').trim() || cityFr;
  const country = row('CountryNL').trim() || countryFr;
  const [number, unit, postCode] = [row('HouseNumber').trim(), row('Box').trim(), row('Zipcode').trim()];
  const details = row('ExtraAddressInfo').trim();
  const write = (box: string, parts: { readonly street: string; readonly city: string; readonly country: string }) =>
    STYLE(parts, { house: unit === '' ? number : `${number} ${box} ${unit}`, details, postCode });
  const isFrench = street === streetFr && isWalloon(postCode);
  const text = write(isFrench ? 'bte' : 'bus', { street, city, country });
  if (text === '') return null;
  const isTranslated = (streetFr !== '' && streetFr !== street) || (cityFr !== '' && cityFr !== city);
  return {
    text,
    ...compact({
      textFr: isTranslated
        ? write('bte', { street: streetFr || street, city: cityFr || city, country: countryFr || country })
        : null,
      street,
      streetFr: streetFr === street ? null : streetFr,
      ...{ number, unit, details, postCode, city },
      cityFr: cityFr === city ? null : cityFr,
      country,
      countryCode: country === '' ? 'BE' : (findAbroad(country) ?? findAbroad(countryFr)),
      countryFr: countryFr === country ? null : countryFr,
      typeCode: row('TypeOfAddress').trim(),
      until: readEnd(row, context, NO_COMMON),
    }),
  };
}

/** The names of countries follow no standard: `Duitsland (Bondsrep.)`. The French name may be known where the Dutch name is not. */
function findAbroad(country: string): string | null {
  return findCountryCode(country, ['nl', 'fr', 'de']);
}

/** The provinces where addresses are in French: 1300 to 1499 and 4000 to 7999. */
function isWalloon(postCode: string): boolean {
  return /^(1[34]|[4-7]\d)\d\d$/.test(postCode);
}
