/**
 * Finland: the Business Information System (YTJ), version 3 of the open data of the patent and registration office. Lists hold current and past
 * entries; past ones have an `endDate`.
 */
import { compileStyle, findCountryCode } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Activity, defineRegister, type EntityStatus, type MapContext, type Registration } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, fieldsOf, histories, NO_COMMON, type State, treeFields } from '../fields.ts';
import { compact, joinFilled, readDate, readText, type Tree, textOf, treeOf, treesOf } from '../parsing.ts';
import { describeRecord, ownEnd, ownNumber, spread } from '../record.ts';
import type { LegalFormOf, TypedAddressOf } from '../vocabulary.ts';

type Context = MapContext<unknown>;

const AUTHORITY = 'Patentti- ja rekisterihallitus';

const lists = readCodeLists('fi');
const TRADE_REGISTER_LABELS = lists.labels('trade register status');
const BUSINESS_ID_STATUSES = lists.labels('business id status');
/** By words in the descriptions of situations with codes that the list lacks: konkurssi, saneeraus, selvitystila. */
const findSituation = lists.patterns<EntityStatus>('situation text');
/** Codes come with descriptions in Finnish, Swedish and English. */
const LANGUAGES = lists.meanings('language');

const isValidDigits = checkLastDigit([7, 9, 10, 5, 8, 4, 2], (sum) => (11 - (sum % 11)) % 11);

/** Y-tunnus: seven digits, a dash and a check digit. Numbers whose check digit would be 10 are never issued. */
export function isValidNumber(number: string): boolean {
  return /^\d{7}-\d$/.test(number) && isValidDigits(number.replace('-', ''));
}

const { text, texts, day, first, group, groupWith, each, all, code, lookup, at, itemsOf } = treeFields();

const { isCurrent, current } = histories('registrationDate', 'endDate');
const typeOf = (entry: Tree) => textOf(entry, 'type');
const pastOf = (key: string) => (record: Tree) => treesOf(record, key).filter((entry) => !isCurrent(entry));
const formOf = (record: Tree) => current('companyForms')(record)[0] ?? {};

/** The descriptions by language, in the order of `LANGUAGES`; the first description in a language counts. */
function describeAll(entry: Tree): { readonly [language: string]: string } {
  const found: { [language: string]: string } = {};
  for (const description of treesOf(entry, 'descriptions')) {
    const language = LANGUAGES.get(textOf(description, 'languageCode'));
    const text = textOf(description, 'description');
    if (language !== undefined && text !== '') found[language] ??= text;
  }
  return found;
}

/** The first description in Finnish. */
function describe(entry: Tree): string | null {
  for (const description of treesOf(entry, 'descriptions')) {
    if (LANGUAGES.get(textOf(description, 'languageCode')) !== 'fi') continue;
    const text = textOf(description, 'description');
    if (text !== '') return text;
  }
  return null;
}

/** A coded entry with its descriptions and days: a situation, a legal form, an entry in a register. */
const DETAILS = { labels: describeAll, from: day('registrationDate'), until: day('endDate') };
const CODED = { code: text('type'), ...DETAILS };
const ENTRY = { code: text('type'), label: describe, ...DETAILS };

const [readSince, readUntil] = [day('registrationDate'), day('endDate')];
const nameType = first(lookup('type', lists.labels('name type')), text('type'));
const MAIN = '1';

const mapCompany = describeRecord<Tree, unknown>({
  name: findName,
  number: at('businessId', text('value')),
  registeredAt: first(
    day('registrationDate'),
    at('businessId', (id) => readDate(textOf(id, 'registrationDate'))),
  ),
  endedAt: day('endDate'),
  status: readStatus,
  legalForm: readLegalForm,
  registrations: [
    ownNumber(AUTHORITY, isValidNumber),
    (record, _context, { number, registeredAt, endedAt }) => {
      const euid = textOf(treeOf(record, 'euId'), 'value');
      if (number === null || euid === '') return null;
      return { authority: AUTHORITY, type: 'euid', number: euid, status: null, registeredAt, endedAt };
    },
    readVat,
  ],
  activities: listActivities,
  registry: {
    status: code('tradeRegisterStatus', TRADE_REGISTER_LABELS),
    endedAt: ownEnd,
    previousNames: each(
      pastOf('names'),
      groupWith(['name'], { name: text('name'), nameType, from: readSince, until: readUntil }),
    ),
    otherNames: each(
      (record) => current('names')(record).filter((entry) => typeOf(entry) !== MAIN),
      groupWith(['name', 'type'], {
        name: text('name'),
        type: (entry) =>
          lists.meanings<'translation' | 'trading'>('name type').get(typeOf(entry)) ?? ('other' as const),
        nameType,
        from: readSince,
      }),
    ),
    addresses: spread(readAddresses),
    contacts: group({ websites: at('website', texts('url')) }),
    websiteSince: at('website', day('registrationDate')),
    businessIdSince: at('businessId', day('registrationDate')),
    businessIdStatus: code('status', BUSINESS_ID_STATUSES),
    legalFormSince: (record, ...rest) => readSince(formOf(record), ...rest),
    previousLegalForms: all(pastOf('companyForms'), group(ENTRY)),
    // Current and past situations. The file does not describe the codes of situations.
    situations: all(
      itemsOf('companySituations'),
      group({
        label: first(describe, lookup('type', lists.labels('situation'))),
        ...CODED,
      }),
    ),
    registers: all(
      itemsOf('registeredEntries'),
      group({
        register: text('register'),
        registerName: lookup('register', lists.labels('register')),
        authority: text('authority'),
        ...ENTRY,
      }),
    ),
    lastModified: text('lastModified'),
  },
});

/** The main name without an end date. If all main names have ended, the name that ended last. */
function findName(record: Tree): string | null {
  const names = treesOf(record, 'names');
  const end = (entry: Tree) => textOf(entry, 'endDate') || '9';
  const [first = names[0] ?? {}, ...others] = names.filter((entry) => typeOf(entry) === MAIN);
  const latest = others.reduce((found, entry) => (end(entry) > end(found) ? entry : found), first);
  return readText(textOf(latest, 'name'));
}

function readLegalForm(record: Tree, context: Context): LegalFormOf | null {
  const form = formOf(record);
  const code = typeOf(form);
  if (code === '') return null;
  const label = describe(form);
  if (label === null) context.reportUnknown('legalForm', 'companyForms', code);
  return label === null ? { code } : { code, label, labels: describeAll(form) };
}

function listActivities(record: Tree, context: Context): Activity[] {
  const line = treeOf(record, 'mainBusinessLine');
  const code = readText(textOf(line, 'type'));
  if (code === null) return [];
  const label = describe(line);
  if (label === null) context.reportUnknown('activity', 'mainBusinessLine', code);
  const set = textOf(line, 'typeCodeSet');
  const from = readSince(line, context, NO_COMMON);
  const labels = describeAll(line);
  const otherLabels = Object.values(labels).filter((other) => other !== label);
  const national = compact({ labels, codeSet: set, from });
  const activity = { type: 'unlicensed', code, label, otherLabels, scheme: 'TOL', main: true, national } as const;
  return [set === '' ? activity : { ...activity, edition: lists.labels('edition').get(set) ?? set }];
}

const VAT_REGISTER = '6';

/** A VAT number is `FI` and the business id without its dash. Companies with an entry in the VAT register have a VAT number. */
function readVat(record: Tree, context: Context, { number }: Common): Registration | null {
  const inVat = treesOf(record, 'registeredEntries').filter((entry) => textOf(entry, 'register') === VAT_REGISTER);
  const entry = inVat.find(isCurrent) ?? inVat[0];
  if (entry === undefined || number === null || !/^\d{7}-\d$/.test(number)) return null;
  return {
    authority: 'Verohallinto',
    type: 'vat',
    number: `FI${number.replace('-', '')}`,
    status: describe(entry),
    ...compact({ statusCode: textOf(entry, 'type') }),
    registeredAt: readSince(entry, context, NO_COMMON),
    endedAt: readUntil(entry, context, NO_COMMON),
  };
}

/** The status follows from the business id, the situations, and the trade register, which does not have many of the associations. */
function readStatus(record: Tree, context: Context, { endedAt }: Common): State {
  const [businessId, code] = [textOf(record, 'status'), textOf(record, 'tradeRegisterStatus')];
  if (businessId !== '' && !BUSINESS_ID_STATUSES.has(businessId)) context.reportUnknown('status', 'status', businessId);
  const listed = lists.meanings<EntityStatus>('trade register status').get(code);
  if (listed === undefined) context.reportUnknown('status', 'tradeRegisterStatus', code);
  const state = { code, label: TRADE_REGISTER_LABELS.get(code) ?? null };
  if (endedAt !== null || listed === 'dissolved' || businessId === '5') return { status: 'dissolved', ...state };
  for (const situation of current('companySituations')(record)) {
    const words = Object.values(describeAll(situation)).join(' ').toLowerCase();
    const status = lists.meanings<EntityStatus>('situation').get(typeOf(situation)) ?? findSituation(words);
    if (status !== undefined) return { status, ...state };
    context.reportUnknown('status', 'companySituations', typeOf(situation));
  }
  // A company that is being founded has a pending business id.
  return { status: businessId === '1' ? 'inactive' : (listed ?? 'unknown'), ...state };
}

/** An address with its post office in Finnish, or else in another language, and in Swedish. */
interface Place {
  readonly tree: Tree;
  readonly office: Tree;
  readonly swedish: Tree;
}

const place = fieldsOf<Place, unknown>(
  (key) =>
    ({ tree }) =>
      textOf(tree, key),
);
const isCode = (country: string) => /^[A-Z]{2}$/.test(country);

const readPlace = place.address(
  place.group({
    careOf: ({ tree }) => textOf(tree, 'co').replace(/^c\/o\s+/i, ''),
    poBox: place.text('postOfficeBox'),
    street: place.text('street'),
    number: place.text('buildingNumber'),
    unit({ tree }) {
      const apartment = textOf(tree, 'apartmentNumber') + textOf(tree, 'apartmentIdSuffix');
      return joinFilled([textOf(tree, 'entrance'), apartment], ' ');
    },
    postCode: place.text('postCode'),
    city: ({ office }) => textOf(office, 'city'),
    lines: place.texts('freeAddressLine'),
    country: ({ tree }) => (isCode(textOf(tree, 'country')) ? null : textOf(tree, 'country')),
    // Only addresses abroad name their country.
    countryCode({ tree }) {
      const country = textOf(tree, 'country');
      if (country === '') return /^\d{5}$/.test(textOf(tree, 'postCode')) ? 'FI' : null;
      return isCode(country) ? country : findCountryCode(country, 'fi,sv,en');
    },
    citySwedish: ({ swedish }) => textOf(swedish, 'city'),
    municipalityCode: ({ office }) => textOf(office, 'municipalityCode'),
    from: place.day('registrationDate'),
  }),
  // `PL` is short for *postilokero*, a post office box.
  compileStyle('c/o {careOf}, {street} {number} {unit}, {lines}, PL {poBox}, {postCode} {city}, {country}', 'kept'),
  ({ tree }) => (tree.country === undefined ? null : { country: textOf(tree, 'country') }),
);

function readAddress(tree: Tree, context: Context, common: Common) {
  const offices = treesOf(tree, 'postOffices');
  const find = (wanted: string) => offices.find((office) => LANGUAGES.get(textOf(office, 'languageCode')) === wanted);
  return readPlace({ tree, office: find('fi') ?? offices[0] ?? {}, swedish: find('sv') ?? {} }, context, common);
}

const [VISITING, POSTAL] = ['1', '2'];

/** The address of the company is the visiting address, or else the postal address, with the type `postal`. */
function readAddresses(record: Tree, context: Context, common: Common) {
  const all = treesOf(record, 'addresses');
  const find = (type: string) => all.find((address) => typeOf(address) === type);
  const main = find(VISITING) ?? find(POSTAL);
  const typed = all.flatMap((tree) => {
    const [type, found] = [typeOf(tree) === POSTAL ? 'postal' : 'other', readAddress(tree, context, common)] as const;
    return found === null ? [] : [{ tree, type, found }];
  });
  const own = typed.find(({ tree }) => tree === main);
  return compact({
    address: own && (own.type === 'postal' ? { ...own.found, type: own.type } : own.found),
    addresses: typed.filter((one) => one !== own).map(({ type, found }): TypedAddressOf => ({ type, ...found })),
  });
}

export const fi = defineRegister({
  id: 'fi',
  trees: { companies: { map: mapCompany } },
  writeNumber,
  // Old numbers were written without their leading zero.
  numbers: [
    {
      kind: 'Y-tunnus',
      form: /^\d{7,8}$/,
      write: (written) => writeNumber(written.padStart(8, '0')),
      check: isValidNumber,
    },
  ],
});

function writeNumber(number: string): string {
  return number.replace(/^(\d{7})-?(\d)$/, '$1-$2');
}
