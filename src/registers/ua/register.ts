/** Ukraine: legal entities of the Unified State Register, in the current XML layout and the two from before 2022. */
import { checkModulo11 } from '../check-digits.ts';
import { type Activity, defineRegister, type EntityStatus, type Json, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf, type State, treeFields } from '../fields.ts';
import { linkByNumber, type RecordParty, readRecordParty, readUnnamed } from '../mapped.ts';
import {
  compact,
  isEmpty,
  isTree,
  parseDay,
  readAmount,
  readDate,
  readDayOf,
  readText,
  splitList,
  type Tree,
  textOf,
  textsOf,
  treeOf,
  treesOf,
} from '../parsing.ts';
import { describeRecord, ownEnd, ownNumber, ownStatus } from '../record.ts';
import type { AddressOf, ContactKind, PartyOf } from '../vocabulary.ts';

type Context = MapContext<unknown>;

const AUTHORITY = 'Міністерство юстиції України';

const lists = readCodeLists('ua');

const checkMost = checkModulo11([1, 2, 3, 4, 5, 6, 7], [3, 4, 5, 6, 7, 8, 9]);
const checkMiddle = checkModulo11([7, 1, 2, 3, 4, 5, 6], [9, 3, 4, 5, 6, 7, 8]);

/** The EDRPOU number: seven digits and a check digit. Numbers from 30 000 000 to 59 999 999 have their own weights. */
function isValidNumber(number: string): boolean {
  return number >= '3' && number < '6' ? checkMiddle(number) : checkMost(number);
}

/** A legal entity, with the texts that several of its fields need. */
interface Subject extends Partial<Record<'termination' | 'terminationStarted' | 'bankruptcy', Procedure | undefined>> {
  readonly tree: Tree;
  readonly registration: ReturnType<typeof readParts>;
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

const describeSubject = describeRecord<Subject, unknown>({
  name: first(readFullName, text('SHORT_NAME')),
  number: text('EDRPOU'),
  registeredAt: ({ registration }) => registration.days[0] ?? null,
  endedAt: ({ termination }) => termination?.at ?? null,
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
    termination: ({ termination: { at: _at, ...ending } = {} }) => ending,
    terminationStarted: ({ terminationStarted }) => terminationStarted ?? null,
    terminationCancelled: text('TERMINATION_CANCEL_INFO'),
    bankruptcy: ({ bankruptcy }) => bankruptcy ?? null,
    predecessors: ({ tree }) => listCompanies(tree, 'PREDECESSORS', 'PREDECESSOR'),
    successors: ({ tree }) => listCompanies(tree, 'ASSIGNEES', 'ASSIGNEE'),
    taxRecords: ({ tree }, context) => listTaxRecords(tree, context),
    currentAuthority: text('CURRENT_AUTHORITY'),
    contacts: ({ tree }) => readContacts(textOf(tree, 'CONTACTS')),
    address: ({ tree }) => readAddress(textOf(tree, 'ADDRESS')),
  },
});

function mapSubject(tree: Tree, context: Context) {
  const registration = readParts(textOf(tree, 'REGISTRATION'), 'REGISTRATION', context);
  const [termination, terminationStarted, bankruptcy] = PROCEDURES.map((key) => readProcedure(tree, key, context));
  return describeSubject({ tree, registration, termination, terminationStarted, bankruptcy }, context);
}

const PROCEDURES = ['TERMINATED_INFO', 'TERMINATION_STARTED_INFO', 'BANKRUPTCY_READJUSTMENT_INFO'];

function readStatus({ tree, termination, terminationStarted, bankruptcy }: Subject, context: Context): State {
  const label = readText(textOf(tree, 'STAN'));
  const statuses = lists.meanings<EntityStatus>('status');
  const status = statuses.get(label ?? '') ?? statuses.get((label ?? '').replace(/\s+/g, ' ').toLowerCase());
  if (status === undefined) context.reportUnknown('status', 'STAN', label ?? '');
  const procedures = { in_liquidation: terminationStarted, insolvent: bankruptcy, dissolved: termination };
  const { at: since, reason } = procedures[status as keyof typeof procedures] ?? {};
  return { status: status ?? 'unknown', label, since, reason };
}

/** Only files from before February 2022 have activities: `KVED`, or `ACTIVITY_KINDS` with one main activity. */
function listActivities(subject: Tree): Activity[] {
  const found = new Map<string, Activity>();
  for (const kind of treesOf(treeOf(subject, 'ACTIVITY_KINDS'), 'ACTIVITY_KIND')) {
    const [code, label] = [readText(textOf(kind, 'CODE')), readText(textOf(kind, 'NAME'))];
    const primary = textOf(kind, 'PRIMARY').toLowerCase();
    const main = primary === '' ? {} : { main: primary === 'так' };
    if (code === null && label === null) continue;
    // Of several equal activities, the main activity is kept.
    const key = `${code}\n${label}`;
    if (!found.has(key) || main.main) found.set(key, { type: 'unlicensed', code, label, ...classify(code), ...main });
  }
  return found.size > 0 ? [...found.values()] : readKved(textOf(subject, 'KVED'));
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
  const edition = code === null ? undefined : lists.patterns<string>('edition')(code);
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

/** Splits `DD.MM.YYYY; DD.MM.YYYY; number`, of which any part may be missing. Until 2022, spaces separate the dates. */
function readParts(text: string, key: string, context: Context) {
  const [, dates = '', more = ''] = /^((?:\d{2}\.\d{2}\.\d{4}[;\s]*)*)(.*)$/su.exec(text) ?? [];
  const days = (dates.match(DAY) ?? []).map((part) => parseDay(key, part, context));
  return { days: days.filter((day) => day !== null), rest: splitList(more, ';') };
}

const DAY = /\b\d{2}\.\d{2}\.\d{4}\b/g;

type Procedure = { readonly [Name in 'at' | 'number' | 'reason' | 'state' | 'creditorsUntil']?: string };

/** The beginning of a procedure: a text with date, number and reason, or an object. */
function readProcedure(subject: Tree, key: string, context: Context): Procedure | undefined {
  if (!subject[key]) return undefined;
  const { days, rest } = readParts(textOf(subject, key), key, context);
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

/** Phone numbers and email addresses in one text, separated by commas or semicolons. */
function readContacts(text: string) {
  if (text === '') return null;
  const found = Map.groupBy(splitList(text, /[;,]/), kindOfContact);
  const [emails, phones] = [found.get('emails'), found.get('phones')];
  return compact({ emails, phones, websites: found.get('websites'), other: found.get('other') });
}

function kindOfContact(part: string): ContactKind {
  if (part.includes('@')) return 'emails';
  if (/\d(?:\D*\d){4}/.test(part) && !/\p{L}/u.test(part)) return 'phones';
  return /^(?:https?:\/\/|www\.)/i.test(part) ? 'websites' : 'other';
}

/**
 * Registrations with the tax and pension offices. A record may have parallel lists, such as several registers and
 * several start dates. Items are matched by position, but only if the lists have the same length.
 */
function listTaxRecords(subject: Tree, context: Context) {
  const data = treeOf(subject, 'EXCHANGE_DATA');
  // Some records have the lists directly in EXCHANGE_DATA.
  return [...treesOf(data, 'EXCHANGE_ANSWER'), data].flatMap((answer) => {
    const registers = textsOf(answer, 'TAX_PAYER_TYPE');
    if (registers.length === 0) return [];
    const listOf = (key: string) => {
      const texts = textsOf(answer, key);
      return texts.length === registers.length ? texts : [];
    };
    const [authorities, numbers, endNumbers] = [listOf('AUTHORITY_NAME'), listOf('START_NUM'), listOf('END_NUM')];
    const [starts, ends] = [listOf('START_DATE'), listOf('END_DATE')];
    const records = registers.map((register, at) =>
      compact({
        authority: authorities[at],
        register,
        from: parseDay('START_DATE', starts[at] ?? '', context),
        number: numbers[at],
        until: parseDay('END_DATE', ends[at] ?? '', context),
        endNumber: endNumbers[at],
      }),
    );
    return records.filter((record) => !isEmpty(record));
  });
}

/** The texts and objects of a list such as FOUNDERS/FOUNDER. */
function listItems(subject: Tree, list: string, item: string): readonly (string | Tree)[] {
  const own = textOf(subject, list);
  const value = treeOf(subject, list)[item] ?? [];
  const items: readonly Json[] = Array.isArray(value) ? value : [value];
  const found: (string | Tree)[] = own === '' ? [] : [own];
  for (const entry of items) {
    const shown = typeof entry === 'string' ? entry.trim() : entry;
    if (isTree(shown) || (typeof shown === 'string' && shown !== '')) found.push(shown);
  }
  return found;
}

/** `розмір частки - 500,00 грн.`, `розмір внеску до статутного фонду - 495.60 грн.` */
const CONTRIBUTION = /^розмір (?:частки|внеску[^-]*?)\s*-\s*([\d\s]+(?:[.,]\d+)?)\s*грн\.?$/i;
const OWNER = /^(кінцевий бенефіціарний власник(?:\s*\(контролер\))?)\s*[-–]\s*(.+)$/isu;
const SIGNER = /^(.*?)\s+-\s+(.+)$/su;
const HEAD = /керівник|директор|голова|президент/i;
/** A note in parentheses, which may have parentheses inside. A parenthesis that is never closed is part of the text. */
const NOTE = /\(((?:[^()]|\([^()]*\))*)\)/g;
/** Three words of which the last is a patronymic: `КОВАЛЬ ІРИНА ПЕТРІВНА`. */
const PERSON = /^[\p{L}'’-]+ [\p{L}'’-]+ \p{L}+(?:вич|ьич|кич|міч|мич|івна|ївна|овна|евна|ічна)$/iu;
/** A legal form or the like, then the name in quotation marks: `ТОВ "РОГИ ТА КОПИТА"`. */
const ORGANISATION =
  /^(?:ТОВ|ТОВАРИСТВО|АТ|ПАТ|ПРАТ|АКЦІОНЕРНЕ|ПРИВАТНЕ|ПУБЛІЧНЕ|ДЕРЖАВНЕ|ДП|КОМУНАЛЬНЕ|КП|КОМПАНІЯ|ФІРМА|КОРПОРАЦІЯ|КОНЦЕРН|АСОЦІАЦІЯ|ФОНД|БАНК)\s.*["»”]$/iu;

/**
 * Founders, owners, heads and others as `registry.parties`. A party is one text: the name, and after a comma or semicolon
 * an EDRPOU number, an address and a contribution. In some layouts a party is an object.
 */
function listParties(subject: Tree): PartyOf[] {
  const bankruptcy = treeOf(subject, 'BANKRUPTCY_READJUSTMENT_INFO');
  const administrator = textOf(bankruptcy, 'SIGNER_NAME') || textOf(bankruptcy, 'BANKRUPTCY_READJUSTMENT_HEAD_NAME');
  const named = (role: PartyOf['role'], name: string, more: object | null = null): PartyOf[] =>
    name === '' ? [] : [{ role, ...more, name }];
  const boss = textOf(subject, 'BOSS');
  return [
    ...named('director', boss, boss === '' ? null : findPerson(boss)),
    ...listItems(subject, 'SIGNERS', 'SIGNER').map(readSigner),
    ...listItems(subject, 'FOUNDERS', 'FOUNDER').map((item) => readParty('founder', item)),
    ...listItems(subject, 'BENEFICIARIES', 'BENEFICIARY').map(readOwner),
    ...listItems(subject, 'MEMBERS', 'MEMBER').map((item) => readParty('member', item)),
    ...named('liquidator', textOf(treeOf(subject, 'TERMINATION_STARTED_INFO'), 'SIGNER_NAME')),
    ...named('insolvency_administrator', administrator),
  ];
}

/**
 * A signer is one text with name, position, day of appointment and notes in several orders:
 * `НАЗВА - керівник`, `НАЗВА; 21.10.2013 - керівник`, `НАЗВА (Повноваження: …), 21.10.2013 - підписант`.
 */
function readSigner(item: string | Tree): PartyOf {
  if (typeof item !== 'string') return readParty('representative', item);
  const notes: string[] = [];
  const takeNote = (_: string, note: string) => {
    notes.push(note.replace(/\s+/g, ' ').trim());
    return ' ';
  };
  const text = item.includes('(') ? item.replace(NOTE, takeNote) : item;
  const days = text.match(DAY) ?? [];
  const from = readDate(days[0] ?? '');
  const plain = days.length === 0 ? text : text.replace(DAY, ' ');
  const [, before = plain, position = ''] = SIGNER.exec(plain) ?? [];
  const [name = '', ...others] = splitOutsideQuotes(before);
  const [roleLabel = '', ...more] = splitOutsideQuotes(position);
  // A day that does not exist, and any further day, stays with the notes.
  const details = [...others, ...more, ...days.slice(from === null ? 0 : 1), ...notes];
  return {
    role: HEAD.test(roleLabel) ? 'director' : 'representative',
    ...compact({ roleLabel, ...findPerson(name) }),
    name: name || '?',
    ...compact({ from, details: details.join(', ') }),
  };
}

function readOwner(item: string | Tree): PartyOf {
  const [, roleLabel, rest = item] = (typeof item === 'string' && OWNER.exec(item)) || [];
  return { ...readParty('beneficial_owner', rest), ...compact({ roleLabel }) };
}

function readParty(role: PartyOf['role'], item: string | Tree): PartyOf {
  if (typeof item !== 'string') {
    const { NAME: _name, CODE: _code, ...details } = item;
    return describe(role, textOf(item, 'NAME'), textOf(item, 'CODE'), compact({ details: details as Json }));
  }
  const [name = item, ...rest] = splitOutsideQuotes(item);
  let number = '';
  let contribution: number | null = null;
  const details: string[] = [];
  for (const part of rest) {
    const amount = CONTRIBUTION.exec(part)?.[1];
    // A number that does not follow the name may be the number of another party in the text.
    if (part === rest[0] && /^\d{8}$/.test(part)) number = part;
    else if (amount !== undefined) contribution = readAmount(amount.replaceAll(/\s/g, ''));
    else details.push(part);
  }
  return describe(role, name, number, {
    ...(contribution !== null && { contribution: { amount: contribution, currency: 'UAH' } }),
    ...compact({ details: details.join(', ') }),
  });
}

/** A party without a name is shown by its number, or as `?` if it has neither; `details` has the rest. */
function describe(
  role: PartyOf['role'],
  name: string,
  number: string,
  more: { readonly [name: string]: Json },
): PartyOf {
  const person = findPerson(name);
  const isNamed = role !== 'beneficial_owner' && ORGANISATION.test(name);
  const isOrganisation = isNamed || (number !== '' && person === null);
  const kind = isOrganisation ? ({ kind: 'organisation' } as const) : person;
  return { role, ...kind, name: name || number || '?', ...compact({ number }), ...more };
}

function findPerson(name: string): { readonly kind: 'person' } | null {
  return PERSON.test(name) ? { kind: 'person' } : null;
}

/** The parts between commas and semicolons, except in quotes and between the digits of an amount (`500,00`). */
function splitOutsideQuotes(text: string): string[] {
  const parts = text.match(/(?:"[^"]*(?:"|$)|«[^»]*(?:»|$)|[^,;"«]|,(?=\d))+/g) ?? [];
  return parts.flatMap((part) => part.trim() || []);
}

/** Texts for several people without their names, and placeholders. */
const PEOPLE = /^(?:фізичні особи|невизначена фізична особа|члени профспілки|релігійна громада)/iu;
const PLACEHOLDER = /^(?:\[засновник\]|0 0|\?)$/iu;
const NO_OWNER = /^причина відсутності/iu;

/** The founders of the list are the current participants. The list has their contributions, but no percentages. */
function readListed(party: PartyOf): RecordParty | null {
  const { name, contribution } = party;
  if (PLACEHOLDER.test(name)) return null;
  if (NO_OWNER.test(name)) return readUnnamed(party, 'not_disclosed');
  if (PEOPLE.test(name)) return readUnnamed(party, 'persons');
  return readRecordParty(party, {
    ...linkByNumber(party, 'ua', /^\d{8}$/),
    ...(contribution !== undefined && { interests: [{ type: 'shares', share: null }] }),
  });
}

export const ua = defineRegister({
  id: 'ua',
  trees: { 'UO, EDR_UO_FULL': { map: mapSubject }, 'EDR_UO (before 2022)': { map: mapSubject } },
  writeNumber: (number) => number.padStart(8, '0'),
  numbers: [{ kind: 'EDRPOU', form: /^\d{8}$/, check: isValidNumber }],
  recordParties: readListed,
});
