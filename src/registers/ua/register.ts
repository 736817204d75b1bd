/** Ukraine: legal entities of the Unified State Register, in the current XML layout and the two from before 2022. */
import { checkModulo11 } from '../check-digits.ts';
import { type Activity, defineRegister, type EntityStatus, type Json, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf, type State, treeFields } from '../fields.ts';
import {
  compact,
  parseDay,
  readAmount,
  readDayOf,
  readText,
  type Tree,
  textOf,
  textsOf,
  treeOf,
  treesOf,
} from '../parsing.ts';
import { describeRecord, ownEnd, ownNumber, ownStatus } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { listItems, listParties, readListed } from './people.ts';

type Context = MapContext<unknown>;

const AUTHORITY = 'Міністерство юстиції України';

const checkMost = checkModulo11([1, 2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8, 9]);
const checkMiddle = checkModulo11([7, 1, 2, 3, 4, 5, 6], [9, 3, 4, 5, 6, 7, 8]);

/** The EDRPOU number: seven digits and a check digit. Numbers from 30 000 000 to 59 999 999 have their own weights. */
export function isValidNumber(number: string): boolean {
  return number >= '3' && number < '6' ? checkMiddle(number) : checkMost(number);
}

/** A legal entity, with the texts that several of its fields need. */
interface Subject {
  readonly tree: Tree;
  readonly registration: Parts;
  readonly termination: Procedure;
  readonly terminationStarted: Procedure;
  readonly bankruptcy: Procedure;
}

const { text, texts, names, parsed, first, group, groupWith, all } = fieldsOf<Subject, unknown>(
  (key) =>
    ({ tree }) =>
      textOf(tree, key),
);
const amount = parsed((written) => readAmount(written.replaceAll(/\s/g, '')), 'not an amount');
const branch = treeFields();
const readFullName = text('NAME');
const readShortNames = names(texts('SHORT_NAME'), { type: 'short' });
const readName = first(readFullName, text('SHORT_NAME'));

const describeSubject = describeRecord<Subject, unknown>({
  name: readName,
  number: text('EDRPOU'),
  registeredAt: ({ registration }) => registration.days[0] ?? null,
  endedAt: ({ termination }) => termination.at ?? null,
  status: readStatus,
  legalForm: group({ label: text('OPF') }),
  registrations: [
    ownNumber(AUTHORITY, isValidNumber),
    // The number of the entry in the register.
    ({ registration }, _context, { registeredAt, endedAt }) => {
      const [number] = registration.rest;
      if (number === undefined) return null;
      return { authority: AUTHORITY, type: 'other', number, status: null, registeredAt, endedAt };
    },
  ],
  activities: ({ tree }) => listActivities(tree),
  registry: {
    status: ownStatus,
    endedAt: ownEnd,
    recordId: first(text('RECORD'), text('@RECORD')),
    otherNames: (...row) => (readFullName(...row) === null ? null : readShortNames(...row)),
    reregisteredAt: ({ registration }) => registration.days[1] ?? null,
    capital: groupWith(['amount'], { amount: amount('AUTHORIZED_CAPITAL'), currency: () => 'UAH' }),
    parties: ({ tree }) => listParties(tree),
    management: text('SUPERIOR_MANAGEMENT'),
    managingBody: ({ tree }) =>
      textOf(tree, 'EXECUTIVE_POWER') || textOf(treeOf(tree, 'EXECUTIVE_POWER'), 'NAME') || null,
    purpose: text('PURPOSE'),
    statute: text('STATUTE'),
    managingPaper: text('MANAGING_PAPER'),
    foundingDocumentNumber: text('FOUNDING_DOCUMENT_NUM'),
    vpDates: text('VP_DATES'),
    establishments: all(
      ({ tree }) => treesOf(treeOf(tree, 'BRANCHES'), 'BRANCH'),
      branch.group({
        number: branch.text('CODE'),
        name: branch.text('NAME'),
        address: (tree) => readAddress(textOf(tree, 'ADDRESS')),
        from: branch.day('CREATE_DATE'),
        head: branch.text('SIGNER'),
        contacts: (tree) => readContacts(textOf(tree, 'CONTACTS')),
      }),
    ),
    termination: ({ termination: { at: _at, ...ending } }) => ending,
    terminationStarted: ({ terminationStarted }) => ({ ...terminationStarted }),
    terminationCancelled: text('TERMINATION_CANCEL_INFO'),
    bankruptcy: ({ bankruptcy }) => ({ ...bankruptcy }),
    predecessors: ({ tree }) => listCompanies(tree, 'PREDECESSORS', 'PREDECESSOR'),
    successors: ({ tree }) => listCompanies(tree, 'ASSIGNEES', 'ASSIGNEE'),
    taxRecords: ({ tree }, context) => listTaxRecords(tree, context),
    currentAuthority: text('CURRENT_AUTHORITY'),
    contacts: ({ tree }) => readContacts(textOf(tree, 'CONTACTS')),
    address: ({ tree }) => readAddress(textOf(tree, 'ADDRESS')),
  },
});

function mapSubject(tree: Tree, context: Context) {
  const isNamed = textOf(tree, 'NAME') !== '' || textOf(tree, 'SHORT_NAME') !== '';
  const registration = readParts(isNamed ? textOf(tree, 'REGISTRATION') : '', 'REGISTRATION', context);
  const [termination, terminationStarted, bankruptcy] = PROCEDURES.map((key) =>
    isNamed ? readProcedure(tree, key, context) : NOTHING,
  ) as [Procedure, Procedure, Procedure];
  return describeSubject({ tree, registration, termination, terminationStarted, bankruptcy }, context);
}

const PROCEDURES = ['TERMINATED_INFO', 'TERMINATION_STARTED_INFO', 'BANKRUPTCY_READJUSTMENT_INFO'];

const lists = readCodeLists('ua');
const STATUSES = lists.meanings<EntityStatus>('status');
const findEdition = lists.patterns<string>('edition');

function readStatus({ tree, termination, terminationStarted, bankruptcy }: Subject, context: Context): State {
  const label = readText(textOf(tree, 'STAN'));
  const status = STATUSES.get((label ?? '').replace(/\s+/g, ' ').toLowerCase());
  if (status === undefined) context.reportUnknown('status', 'STAN', label ?? '');
  const procedures = { in_liquidation: terminationStarted, insolvent: bankruptcy, dissolved: termination };
  const { at: since, reason } = procedures[status as keyof typeof procedures] ?? {};
  return { status: status ?? 'unknown', label, since, reason };
}

/** Only files from before February 2022 have activities: `KVED`, or `ACTIVITY_KINDS` with one main activity. */
function listActivities(subject: Tree): Activity[] {
  const kinds = treesOf(treeOf(subject, 'ACTIVITY_KINDS'), 'ACTIVITY_KIND').flatMap((kind): Activity[] => {
    const [code, label] = [readText(textOf(kind, 'CODE')), readText(textOf(kind, 'NAME'))];
    const primary = textOf(kind, 'PRIMARY').toLowerCase();
    if (code === null && label === null) return [];
    const main = primary === '' ? {} : { main: primary === 'так' };
    return [{ type: 'unlicensed', code, label, ...classify(code), ...main }];
  });
  return kinds.length > 0 ? removeRepeated(kinds) : readKved(textOf(subject, 'KVED'));
}

/** Of several equal activities, the main activity is kept. */
function removeRepeated(activities: readonly Activity[]): Activity[] {
  const found = new Map<string, Activity>();
  for (const activity of activities) {
    const key = `${activity.code}\n${activity.label}`;
    if (!found.has(key) || activity.main) found.set(key, activity);
  }
  return [...found.values()];
}

/** An activity is written as `62.01 Комп'ютерне програмування`. */
function readKved(text: string): Activity[] {
  if (text === '') return [];
  const [, code, label] = /^(\d{2}(?:\.\d{1,2}){0,2})\s*(.*)$/su.exec(text) ?? [];
  if (code === undefined) return [{ type: 'unlicensed', code: null, label: text, ...classify(null) }];
  return [{ type: 'unlicensed', code, label: readText(label ?? ''), ...classify(code), written: text }];
}

/** Activities are registered with a class of KVED-2010 (`62.01`) or with a subclass of KVED-2005 (`72.22.0`). */
function classify(code: string | null) {
  const edition = code === null ? undefined : findEdition(code);
  return { scheme: 'KVED', ...(edition !== undefined && { edition }) };
}

type AddressPart = 'postCode' | 'region' | 'city' | 'district' | 'street' | 'number' | 'unit';

/** The first group is the value. Without a group, the whole text is the value. */
const PARTS = lists.rules<AddressPart>('address part', 'iu');

/** `20300, Черкаська обл., місто Умань, ВУЛИЦЯ САДОВА, будинок 5, квартира 3`: parts are recognized by their words. */
function readAddress(raw: string): AddressOf | null {
  const text = readText(raw);
  if (text === null) return null;
  const found: { [Name in AddressPart]?: string } = {};
  for (const piece of text.split(',')) {
    const part = piece.trim();
    for (const [name, pattern] of PARTS) {
      const match = pattern.exec(part);
      if (match === null) continue;
      const value = match[1] ?? part;
      if (name === 'unit' && found.unit !== undefined) found.unit += `, ${value}`;
      else found[name] ??= value;
      break;
    }
  }
  return { text, ...found, countryCode: 'UA' };
}

interface Parts {
  readonly days: readonly string[];
  readonly rest: readonly string[];
}

const DATE_SHAPED = /^\d{2}\.\d{2}\.\d{4}$/;

/** Splits `DD.MM.YYYY; DD.MM.YYYY; number`, of which any part may be missing. Until 2022, spaces separate the dates. */
function readParts(text: string, key: string, context: Context): Parts {
  const [, dates = '', more = ''] = /^((?:\d{2}\.\d{2}\.\d{4}[;\s]*)*)(.*)$/su.exec(text.trim()) ?? [];
  const days = dates.split(/[;\s]+/).filter((part) => DATE_SHAPED.test(part));
  const read = days.map((part) => parseDay(key, part, context)).filter((day) => day !== null);
  const rest = more.split(';').map((part) => part.trim());
  return { days: read, rest: rest.filter((part) => part !== '') };
}

type Procedure = {
  readonly at?: string;
  readonly number?: string;
  readonly reason?: string;
  readonly state?: string;
  readonly creditorsUntil?: string;
};

const NOTHING = {} as const;
const NO_TEXTS: readonly string[] = [];

/** The beginning of a procedure: a text with date, number and reason, or an object. */
function readProcedure(subject: Tree, key: string, context: Context): Procedure {
  if (!subject[key]) return NOTHING;
  const text = textOf(subject, key);
  const { days, rest } = readParts(text, key, context);
  const info = treeOf(subject, key);
  const isLong = rest.length > 1;
  return compact({
    at: days[0] ?? readDayOf(info, 'OP_DATE', context),
    number: isLong ? rest[0] : null,
    reason: textOf(info, 'REASON') || (isLong ? rest.slice(1).join('; ') : rest[0]),
    state: textOf(info, 'SBJ_STATE'),
    creditorsUntil: readDayOf(info, 'CREDITOR_REQ_END_DATE', context),
  });
}

/** Companies that came before or after: texts, or objects with name and number. */
function listCompanies(subject: Tree, list: string, item: string) {
  return listItems(subject, list, item).map((entry): { readonly [name: string]: Json } =>
    typeof entry === 'string'
      ? { name: entry }
      : compact({ name: textOf(entry, 'NAME'), number: textOf(entry, 'CODE') }),
  );
}

type Contacts = { readonly [Kind in 'emails' | 'phones' | 'websites' | 'other']?: readonly string[] };

/** Phone numbers and email addresses in one text, separated by commas or semicolons. */
function readContacts(text: string): Contacts {
  if (text === '') return NOTHING;
  const parts = text.split(/[;,]/).map((part) => part.trim());
  const isPhone = (part: string) => part.replaceAll(/\D/g, '').length >= 5 && !/\p{L}/u.test(part);
  const others = parts.filter((part) => part !== '' && !part.includes('@') && !isPhone(part));
  return compact({
    emails: parts.filter((part) => part.includes('@')),
    phones: parts.filter(isPhone),
    websites: others.filter((part) => /^(?:https?:\/\/|www\.)/i.test(part)),
    other: others.filter((part) => !/^(?:https?:\/\/|www\.)/i.test(part)),
  });
}

/**
 * Registrations with the tax and pension offices. A record may have parallel lists, such as several registers and
 * several start dates. Items are matched by position, but only if the lists have the same length.
 */
function listTaxRecords(subject: Tree, context: Context) {
  const data = treeOf(subject, 'EXCHANGE_DATA');
  // Some records have the lists directly in EXCHANGE_DATA.
  const answers = [...treesOf(data, 'EXCHANGE_ANSWER'), ...(textsOf(data, 'TAX_PAYER_TYPE').length > 0 ? [data] : [])];
  return answers.flatMap((answer) => {
    const registers = textsOf(answer, 'TAX_PAYER_TYPE');
    const partsOf = (key: string) => {
      const texts = textsOf(answer, key);
      return texts.length === registers.length ? texts : NO_TEXTS;
    };
    const [authorities, numbers, endNumbers] = [partsOf('AUTHORITY_NAME'), partsOf('START_NUM'), partsOf('END_NUM')];
    const [starts, ends] = [partsOf('START_DATE'), partsOf('END_DATE')];
    const records = registers.map((register, index) => {
      const from = parseDay('START_DATE', starts[index] ?? '', context);
      const until = parseDay('END_DATE', ends[index] ?? '', context);
      const [authority, number, endNumber] = [authorities[index], numbers[index], endNumbers[index]];
      return compact({ authority, register, from, number, until, endNumber });
    });
    return records.filter((record) => Object.keys(record).length > 0);
  });
}

export const ua = defineRegister({
  id: 'ua',
  trees: { 'UO, EDR_UO_FULL': { map: mapSubject }, 'EDR_UO (before 2022)': { map: mapSubject } },
  writeNumber: (number) => number.padStart(8, '0'),
  numbers: [{ kind: 'EDRPOU', form: /^\d{8}$/, check: isValidNumber }],
  recordParties: readListed,
});
