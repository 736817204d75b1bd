/** Typed fields that are read from more than one key, with descriptions in Finnish, Swedish and English. */
import type { MapContext, Registration } from '../contract.ts';
import { compact, readDayOf, readText, type Tree, textOf, treesOf } from '../parsing.ts';

type Context = MapContext<null>;

export function isCurrent(entry: Tree): boolean {
  return textOf(entry, 'endDate') === '';
}

export function listNames(names: readonly Tree[], type: string): string[] {
  return names
    .filter((entry) => textOf(entry, 'type') === type && isCurrent(entry))
    .map((entry) => textOf(entry, 'name'));
}

const NAME_TYPES: ReadonlyMap<string, string> = new Map([
  ['1', 'main'],
  ['2', 'parallel'],
  ['3', 'auxiliary'],
  ['4', 'auxiliaryDetail'],
]);

export function readPreviousName(entry: Tree, context: Context) {
  return compact({
    name: textOf(entry, 'name'),
    type: NAME_TYPES.get(textOf(entry, 'type')) ?? textOf(entry, 'type'),
    from: readDayOf(entry, 'registrationDate', context),
    until: readDayOf(entry, 'endDate', context),
  });
}

const LANGUAGES = { fi: '1', sv: '2', en: '3' };

export function describe(entry: Tree, language: keyof typeof LANGUAGES): string | null {
  const code = LANGUAGES[language];
  const found = treesOf(entry, 'descriptions').find((description) => textOf(description, 'languageCode') === code);
  return readText(textOf(found ?? {}, 'description'));
}

export function describeAll(entry: Tree): { fi?: string; sv?: string; en?: string } {
  const found: { fi?: string; sv?: string; en?: string } = {};
  for (const description of treesOf(entry, 'descriptions')) {
    const text = textOf(description, 'description');
    const code = textOf(description, 'languageCode');
    if (text === '') continue;
    if (code === LANGUAGES.fi) found.fi ??= text;
    else if (code === LANGUAGES.sv) found.sv ??= text;
    else if (code === LANGUAGES.en) found.en ??= text;
  }
  return found;
}

export function readBusinessLine(line: Tree, context: Context) {
  return compact({
    code: textOf(line, 'type'),
    ...describeAll(line),
    classification: textOf(line, 'typeCodeSet'),
    since: readDayOf(line, 'registrationDate', context),
  });
}

export function readEntry(entry: Tree, context: Context) {
  return compact({
    register: textOf(entry, 'register'),
    authority: textOf(entry, 'authority'),
    code: textOf(entry, 'type'),
    ...describeAll(entry),
    from: readDayOf(entry, 'registrationDate', context),
    until: readDayOf(entry, 'endDate', context),
  });
}

const ADDRESS_TYPES: ReadonlyMap<string, string> = new Map([
  ['1', 'visiting'],
  ['2', 'postal'],
]);

export function readAddress(address: Tree, context: Context) {
  const offices = treesOf(address, 'postOffices');
  const office = offices.find((candidate) => textOf(candidate, 'languageCode') === LANGUAGES.fi) ?? offices[0] ?? {};
  const swedish = offices.find((candidate) => textOf(candidate, 'languageCode') === LANGUAGES.sv) ?? {};
  return compact({
    type: ADDRESS_TYPES.get(textOf(address, 'type')) ?? textOf(address, 'type'),
    careOf: textOf(address, 'co'),
    street: textOf(address, 'street'),
    buildingNumber: textOf(address, 'buildingNumber'),
    entrance: textOf(address, 'entrance'),
    apartment: `${textOf(address, 'apartmentNumber')}${textOf(address, 'apartmentIdSuffix')}`,
    poBox: textOf(address, 'postOfficeBox'),
    lines: textOf(address, 'freeAddressLine'),
    postCode: textOf(address, 'postCode'),
    city: textOf(office, 'city'),
    citySwedish: textOf(swedish, 'city'),
    municipalityCode: textOf(office, 'municipalityCode'),
    country: textOf(address, 'country'),
    since: readDayOf(address, 'registrationDate', context),
  });
}

const TAX_AUTHORITY = 'Verohallinto';
const VAT_REGISTER = '6';

/** A VAT number is `FI` and the business id without its dash. Companies with an entry in the VAT register have one. */
export function listVat(number: string, entries: readonly Tree[], context: Context): Registration[] {
  const inVat = entries.filter((entry) => textOf(entry, 'register') === VAT_REGISTER);
  const entry = inVat.find(isCurrent) ?? inVat[0];
  if (entry === undefined || !/^\d{7}-\d$/.test(number)) return [];
  return [
    {
      authority: TAX_AUTHORITY,
      type: 'vat',
      number: `FI${number.replace('-', '')}`,
      status: describe(entry, 'fi'),
      registeredAt: readDayOf(entry, 'registrationDate', context),
      endedAt: readDayOf(entry, 'endDate', context),
    },
  ];
}
