/** The fields of `registry` that are objects or lists, except the people. */
import type { Json, MapContext } from '../contract.ts';
import { compact, parseDay, readAmount, readDayOf, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';
import { readAddress } from './address.ts';
import { listItems } from './people.ts';

type Context = MapContext<null>;

export function readCapital(subject: Tree, context: Context) {
  const text = textOf(subject, 'AUTHORIZED_CAPITAL').replaceAll(/\s/g, '');
  if (text === '') return null;
  const amount = readAmount(text);
  if (amount === null) context.report('AUTHORIZED_CAPITAL', text, 'not an amount');
  return amount === null ? null : { amount, currency: 'UAH' };
}

const DATE_SHAPED = /^\d{2}\.\d{2}\.\d{4}$/;

/** Splits `DD.MM.YYYY; DD.MM.YYYY; number`, of which any part may be missing. Until 2022, spaces separate the dates. */
export function readParts(text: string, key: string, context: Context): { days: string[]; rest: string[] } {
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
export function readProcedure(subject: Tree, key: string, context: Context): Procedure {
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

export function listBranches(subject: Tree, context: Context) {
  return treesOf(treeOf(subject, 'BRANCHES'), 'BRANCH').map((branch) =>
    compact({
      number: textOf(branch, 'CODE'),
      name: textOf(branch, 'NAME'),
      address: readAddress(textOf(branch, 'ADDRESS')),
      from: readDayOf(branch, 'CREATE_DATE', context),
      head: textOf(branch, 'SIGNER'),
      contacts: readContacts(textOf(branch, 'CONTACTS')),
    }),
  );
}

/** Companies that came before or after: texts, or objects with name and number. */
export function listCompanies(subject: Tree, list: string, item: string) {
  return listItems(subject, list, item).map((entry): { readonly [name: string]: Json } =>
    typeof entry === 'string'
      ? { name: entry }
      : compact({ name: textOf(entry, 'NAME'), number: textOf(entry, 'CODE') }),
  );
}

type Contacts = { readonly [Kind in 'emails' | 'phones' | 'websites' | 'other']?: readonly string[] };

/** Phone numbers and email addresses in one text, separated by commas or semicolons. */
export function readContacts(text: string): Contacts {
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
export function listTaxRecords(subject: Tree, context: Context) {
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
