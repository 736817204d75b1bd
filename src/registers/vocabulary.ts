/** The few readings that registers share. Each returns null for what it cannot read; the caller reports it. */

import type { Json } from '../core/source-files.ts';

/** `DD/MM/YYYY`, `DD.MM.YYYY`, `DD-MM-YYYY` or `YYYY-MM-DD` (also with a time behind it) → `YYYY-MM-DD`, if there is such a day. */
export function readDate(text: string): string | null {
  const date = ISO.test(text)
    ? text.slice(0, 10)
    : DAY_FIRST.test(text)
      ? `${text.slice(6)}-${text.slice(3, 5)}-${text.slice(0, 2)}`
      : null;
  const isDate = date !== null && isDay(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8)));
  return isDate ? date : null;
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;
const DAY_FIRST = /^\d{2}[./-]\d{2}[./-]\d{4}$/;

/** Days since the spreadsheet epoch (1900, with its famous 29 February) → `YYYY-MM-DD`. */
export function readSerialDate(text: string): string | null {
  const serial = /^\d{1,7}(\.\d+)?$/.test(text) ? Math.floor(Number(text)) : Number.NaN;
  if (!(serial >= 1 && serial <= 2_958_465) || serial === 60) return null;
  // Days since 1 March 0000, whose years end with the leap day: then a date is plain arithmetic, and no Date is made.
  const days = serial + (serial < 60 ? 693_900 : 693_899);
  const era = Math.floor(days / 146_097);
  const dayOfEra = days - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`;
}

function pad(part: number): string {
  return part < 10 ? `0${part}` : String(part);
}

function isDay(year: number, month: number, day: number): boolean {
  const lastDay = month === 2 && isLeap(year) ? 29 : LAST_DAYS[month - 1];
  return lastDay !== undefined && day >= 1 && day <= lastDay;
}

const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeap(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Text that says something: trimmed, and null when nothing is left. */
export function readText(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/** The date of a column, null when it is empty; what is no date is reported. */
export function readDay(column: string, cell: (column: string) => string, reporter: Reporter): string | null {
  return checkDay(column, cell(column).trim(), reporter);
}

function checkDay(column: string, text: string, reporter: Reporter): string | null {
  if (text === '') return null;
  const day = readDate(text);
  if (day === null) reporter.report(column, text, 'not a date');
  return day;
}

/** The part of the map's context that a reading needs. */
export interface Reporter {
  report(column: string, value: string, problem: string): void;
}

/** A code that passed through a spreadsheet or a data frame as a number: `3101.0` → `3101`. */
export function readCode(text: string): string | null {
  return readText(text.trim().replace(/^(\d+)\.0+$/, '$1'));
}

/** A whole number ≥ 0 as written in digits. */
export function readCount(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

/** The whole number of a column, null when it is empty; what is none is reported. */
export function readWhole(column: string, cell: (column: string) => string, reporter: Reporter): number | null {
  const text = readText(cell(column));
  const number = text === null ? null : readCount(text);
  if (text !== null && number === null) reporter.report(column, text, 'not a whole number');
  return number;
}

/** Names of columns, or other words, written as one text. */
export function wordsOf(text: string): readonly string[] {
  return text.split(' ');
}

/** Sum of digits times weights; null when the text is not exactly that many digits. */
export function weighDigits(digits: string, weights: readonly number[]): number | null {
  if (digits.length !== weights.length || !/^\d+$/.test(digits)) return null;
  return weights.reduce((sum, weight, index) => sum + weight * (digits.charCodeAt(index) - 48), 0);
}

/** An object without its empty values (null, '', empty array or object): a field that says nothing is left out. */
export function compact<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: Record<string, unknown> = {};
  for (const name in fields) if (!isEmpty(fields[name])) kept[name] = fields[name];
  return kept as never;
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
}

/** A check digit of two rounds: the weighted sum modulo 11; when that is 10, with the second weights; when again, 0. */
export function weighTwice(digits: string, first: readonly number[], second: readonly number[]): number | null {
  const sum = weighDigits(digits, first);
  if (sum === null) return null;
  return sum % 11 < 10 ? sum % 11 : ((weighDigits(digits, second) ?? 0) % 11) % 10;
}

/** The status by the register's own table, `unknown` when it is not there, which is reported. */
export function lookUpStatus<Status>(
  statuses: ReadonlyMap<string, Status>,
  column: string,
  text: string,
  reporter: Reporter,
): Status | 'unknown' {
  const status = statuses.get(text);
  if (status === undefined) reporter.report(column, text, 'unknown status');
  return status ?? 'unknown';
}

/** `YYYYMMDD` → `YYYY-MM-DD`, if there is such a day. */
export function readCompactDate(text: string): string | null {
  return /^\d{8}$/.test(text) ? readDate(`${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`) : null;
}

/** An amount with a decimal comma or point and no separators between thousands: `1061004829,23`. */
export function readAmount(text: string): number | null {
  return /^-?\d{1,15}([.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : null;
}

export type ContactList = 'emails' | 'phones' | 'websites' | 'faxes' | 'otherContacts';

/** Collects contact values into one list per kind, each value once. Types that the map lacks go to `otherContacts`. */
export function createContacts(kinds: ReadonlyMap<string, ContactList>) {
  const lists: Record<ContactList, string[]> = { emails: [], phones: [], websites: [], faxes: [], otherContacts: [] };
  const add = (type: string, value: string) => {
    const list = lists[kinds.get(type) ?? 'otherContacts'];
    if (!list.includes(value)) list.push(value);
  };
  return { lists, add };
}

/** A record, or an object inside one, of JSON or XML. Parts of it may be missing. */
export type Tree = { readonly [key: string]: Json };

/** The text, number or flag under a key, trimmed; of an XML element with attributes its text. '' when there is none. */
export function textOf(tree: Tree, key: string): string {
  const value = tree[key];
  if (typeof value === 'string') return value.trim();
  if (value === undefined) return '';
  const plain = isTree(value) ? value['#text'] : value;
  if (typeof plain === 'string') return plain.trim();
  return typeof plain === 'number' || typeof plain === 'boolean' ? String(plain) : '';
}

export function treeOf(tree: Tree, key: string): Tree {
  const value = tree[key];
  return isTree(value) ? value : {};
}

/** The objects of a list; one alone, as XML has a list of one, is a list too. */
export function treesOf(tree: Tree, key: string): readonly Tree[] {
  const value = tree[key];
  if (isTree(value)) return [value];
  return Array.isArray(value) ? value.filter(isTree) : [];
}

/** The same for texts, empty ones too: they may stand beside those of another list. */
export function textsOf(tree: Tree, key: string): readonly string[] {
  const value = tree[key];
  const items: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return items.map((item) => textOf({ item }, 'item'));
}

function isTree(value: Json | undefined): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The date under a key, null when there is none; what is no date is reported. */
export function readDayOf(tree: Tree, key: string, reporter: Reporter): string | null {
  return checkDay(key, textOf(tree, key), reporter);
}
