/** Names, addresses, contacts and activities of one entity: an enterprise, an establishment or a branch. */
import type { Cell, MapContext } from '../contract.ts';
import { type ContactList, compact, createContacts, readDay, readText } from '../parsing.ts';
import type { Codes } from './codes.ts';

type Context = MapContext<Codes>;

/** In order of preference: official, commercial, branch, abbreviated. Within a type the order of the file is kept. */
const NAME_TYPES = ['001', '003', '004', '002'];
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['1', 'fr'],
  ['2', 'nl'],
  ['3', 'de'],
  ['4', 'en'],
]);

export function describeNames(rows: readonly Cell[], { codes }: Context) {
  const rank = (row: Cell) => {
    const index = NAME_TYPES.indexOf(row('TypeOfDenomination').trim());
    return index < 0 ? NAME_TYPES.length : index;
  };
  return rows
    .filter((row) => row('Denomination').trim() !== '')
    .sort((one, other) => rank(one) - rank(other))
    .map((row) => {
      const type = row('TypeOfDenomination').trim();
      return {
        name: row('Denomination').trim(),
        ...compact({
          typeCode: type,
          type: codes.label('TypeOfDenomination', type),
          language: LANGUAGES.get(row('Language').trim()) ?? null,
        }),
      };
    });
}

/** The main address is one that is not struck off, preferably the seat. The others keep that order. */
export function describeAddresses(rows: readonly Cell[], context: Context) {
  const [address = null, ...otherAddresses] = [...rows]
    .sort((one, other) => rankAddress(one) - rankAddress(other))
    .map((row) => describeAddress(row, context));
  return { address, otherAddresses };
}

/** Dutch texts, and French ones where they differ. Where the Dutch text is empty, the French one takes its place. */
function describeAddress(row: Cell, context: Context) {
  const text = (column: string) => readText(row(column));
  const readFrench = (french: string, dutch: string) =>
    text(dutch) === null || text(french) === text(dutch) ? null : text(french);
  return compact({
    typeCode: text('TypeOfAddress'),
    type: context.codes.label('TypeOfAddress', row('TypeOfAddress').trim()),
    street: text('StreetNL') ?? text('StreetFR'),
    streetFr: readFrench('StreetFR', 'StreetNL'),
    houseNumber: text('HouseNumber'),
    box: text('Box'),
    postCode: text('Zipcode'),
    city: text('MunicipalityNL') ?? text('MunicipalityFR'),
    cityFr: readFrench('MunicipalityFR', 'MunicipalityNL'),
    country: text('CountryNL') ?? text('CountryFR'),
    details: text('ExtraAddressInfo'),
    struckOffAt: readDay('DateStrikingOff', row, context),
  });
}

/** 0 is the seat and 1 another address; 2 and 3 are the same but struck off. */
function rankAddress(row: Cell): number {
  return (row('TypeOfAddress').trim() === 'REGO' ? 0 : 1) + (row('DateStrikingOff').trim() === '' ? 0 : 2);
}

const CONTACTS: ReadonlyMap<string, ContactList> = new Map([
  ['EMAIL', 'emails'],
  ['TEL', 'phones'],
  ['WEB', 'websites'],
  ['FAX', 'faxes'],
]);

/** The values by kind, and every row with its type and its owner (enterprise, establishment or branch). */
export function describeContacts(rows: readonly Cell[], { codes }: Context) {
  const { lists, add } = createContacts(CONTACTS);
  const contacts: object[] = [];
  for (const row of rows) {
    const value = readText(row('Value'));
    if (value === null) continue;
    const [typeCode, entityCode] = [row('ContactType').trim(), row('EntityContact').trim()];
    add(typeCode, value);
    const [type, entity] = [codes.label('ContactType', typeCode), codes.label('EntityContact', entityCode)];
    contacts.push(compact({ value, typeCode, type, entityCode, entity }));
  }
  return { ...lists, contacts };
}

export function describeActivities(rows: readonly Cell[], { codes }: Context) {
  return rows
    .filter((row) => row('NaceCode').trim() !== '')
    .map((row) => {
      const [code, version] = [row('NaceCode').trim(), row('NaceVersion').trim()];
      return {
        code,
        ...compact({
          version,
          classification: row('Classification').trim(),
          groupCode: row('ActivityGroup').trim(),
          label: codes.label(`Nace${version}`, code),
        }),
      };
    });
}

/**
 * The texts of the codes in a column of the activities, by code. They are stored once per record: repeated in each of
 * tens of millions of activities they would take gigabytes.
 */
export function describeCodes(category: 'ActivityGroup' | 'Classification', rows: readonly Cell[], codes: Codes) {
  const used = new Set(rows.map((row) => row(category).trim()));
  return compact(Object.fromEntries(Array.from(used, (code) => [code, codes.label(category, code)])));
}
