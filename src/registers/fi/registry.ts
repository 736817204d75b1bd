/** The names, activity, registrations and entries of a company. */
import type { Activity, MapContext, Registration } from '../contract.ts';
import { compact, readDayOf, readText, type Tree, textOf, treeOf, treesOf } from '../parsing.ts';
import type { LegalFormOf } from '../vocabulary.ts';
import { describe, describeAll, isCurrent, readEntry } from './descriptions.ts';
import { isValidNumber } from './number.ts';
import { TRADE_REGISTER_STATUSES } from './status.ts';

type Context = MapContext<null>;

const MAIN = '1';
const NAME_TYPES: ReadonlyMap<string, string> = new Map([
  [MAIN, 'main'],
  ['2', 'parallel'],
  ['3', 'auxiliary'],
  ['4', 'auxiliaryDetail'],
]);
const OTHER_NAME_TYPES: ReadonlyMap<string, 'translation' | 'trading'> = new Map([
  ['2', 'translation'],
  ['3', 'trading'],
]);

/** The main name without an end date. If all have ended, the one that ended last. */
export function findName(names: readonly Tree[]): string | null {
  const main = names.filter((entry) => textOf(entry, 'type') === MAIN);
  const latest = main.toSorted((one, other) => (textOf(one, 'endDate') < textOf(other, 'endDate') ? 1 : -1));
  return readText(textOf(main.find(isCurrent) ?? latest[0] ?? names[0] ?? {}, 'name'));
}

export function listPreviousNames(names: readonly Tree[], context: Context) {
  return names
    .filter((entry) => !isCurrent(entry) && textOf(entry, 'name') !== '')
    .map((entry) => ({ name: textOf(entry, 'name'), ...compact(readNameDetails(entry, context)) }));
}

export function listOtherNames(names: readonly Tree[], context: Context) {
  return names
    .filter((entry) => isCurrent(entry) && textOf(entry, 'type') !== MAIN && textOf(entry, 'name') !== '')
    .map((entry) => {
      const code = textOf(entry, 'type');
      const { nameType, from } = readNameDetails(entry, context);
      const type = OTHER_NAME_TYPES.get(code) ?? ('other' as const);
      return { name: textOf(entry, 'name'), type, ...compact({ nameType, from }) };
    });
}

function readNameDetails(entry: Tree, context: Context) {
  const code = textOf(entry, 'type');
  return {
    nameType: NAME_TYPES.get(code) ?? code,
    from: readDayOf(entry, 'registrationDate', context),
    until: readDayOf(entry, 'endDate', context),
  };
}

export function readLegalForm(form: Tree, context: Context): LegalFormOf | null {
  const code = textOf(form, 'type');
  if (code === '') return null;
  const label = describe(form, 'fi');
  if (label === null) context.reportUnknown('legalForm', 'companyForms', code);
  return label === null ? { code } : { code, label, labels: describeAll(form) };
}

/** Editions of the Finnish industrial classification. The code sets of others are shown as they are. */
const EDITIONS: ReadonlyMap<string, string> = new Map([
  ['TOIMI2', '2002'],
  ['TOIMI3', '2008'],
  ['TOIMI4', '2025'],
]);

export function listActivities(line: Tree, context: Context): Activity[] {
  const code = readText(textOf(line, 'type'));
  if (code === null) return [];
  const label = describe(line, 'fi');
  if (label === null) context.reportUnknown('activity', 'mainBusinessLine', code);
  const set = textOf(line, 'typeCodeSet');
  const from = readDayOf(line, 'registrationDate', context);
  const labels = describeAll(line);
  const otherLabels = Object.values(labels).filter((other) => other !== label);
  const national = compact({ labels, codeSet: set, from });
  const activity = { type: 'unlicensed', code, label, otherLabels, scheme: 'TOL', main: true, national } as const;
  return [set === '' ? activity : { ...activity, edition: EDITIONS.get(set) ?? set }];
}

const AUTHORITY = 'Patentti- ja rekisterihallitus';

/** The business id, the European identifier and the VAT number. */
export function listRegistrations(
  record: Tree,
  days: { readonly registeredAt: string | null; readonly endedAt: string | null },
  context: Context,
): Registration[] {
  const number = readText(textOf(treeOf(record, 'businessId'), 'value'));
  if (number === null) return [];
  const statusCode = textOf(record, 'tradeRegisterStatus');
  const status = TRADE_REGISTER_STATUSES.get(statusCode) ?? null;
  const numberValid = isValidNumber(number);
  const euid = readText(textOf(treeOf(record, 'euId'), 'value'));
  return [
    { authority: AUTHORITY, type: 'national', number, numberValid, status, ...compact({ statusCode }), ...days },
    ...(euid === null ? [] : [{ authority: AUTHORITY, type: 'euid' as const, number: euid, status: null, ...days }]),
    ...listVat(number, treesOf(record, 'registeredEntries'), context),
  ];
}

const TAX_AUTHORITY = 'Verohallinto';
const VAT_REGISTER = '6';

/** A VAT number is `FI` and the business id without its dash. Companies with an entry in the VAT register have one. */
function listVat(number: string, entries: readonly Tree[], context: Context): Registration[] {
  const inVat = entries.filter((entry) => textOf(entry, 'register') === VAT_REGISTER);
  const entry = inVat.find(isCurrent) ?? inVat[0];
  if (entry === undefined || !/^\d{7}-\d$/.test(number)) return [];
  return [
    {
      authority: TAX_AUTHORITY,
      type: 'vat',
      number: `FI${number.replace('-', '')}`,
      status: describe(entry, 'fi'),
      ...compact({ statusCode: textOf(entry, 'type') }),
      registeredAt: readDayOf(entry, 'registrationDate', context),
      endedAt: readDayOf(entry, 'endDate', context),
    },
  ];
}

/** The registers in which a company can have entries. */
const REGISTERS: ReadonlyMap<string, string> = new Map([
  ['1', 'Trade register'],
  ['2', 'Register of foundations'],
  ['3', 'Register of associations'],
  ['4', 'Tax administration'],
  ['5', 'Prepayment register'],
  [VAT_REGISTER, 'VAT register'],
  ['7', 'Employer register'],
]);

export function readRegisterEntry(entry: Tree, context: Context) {
  const register = textOf(entry, 'register');
  const authority = textOf(entry, 'authority');
  return { ...compact({ register, registerName: REGISTERS.get(register), authority }), ...readEntry(entry, context) };
}
