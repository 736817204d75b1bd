/**
 * Parsers that several registers share: dates, counts, codes, legal forms, check digits, and access to JSON and XML trees. Parsers
 * of a plain text return null for a value that they cannot parse. Parsers that take a column or key and a `Reporter` also
 * report such a value.
 */
import type { Json } from '../base/source-files.ts';

/** Parses `DD/MM/YYYY` (or `.`, `-`) or `YYYY-MM-DD`, also with a time. A day that does not exist is null. */
export function readDate(text: string): string | null {
  if (text[4] === '-') return ISO.test(text) ? writeDay(text.slice(0, 4), text.slice(5, 7), text.slice(8, 10)) : null;
  return isDayFirst(text) ? writeDay(text.slice(6), text.slice(3, 5), text.slice(0, 2)) : null;
}

/** Parses `MM/DD/YYYY`, also without leading zeros, `MMDDYYYY`, or `YYYY-MM-DD`, also with a time. */
export function readMonthFirst(text: string): string | null {
  const [, month = '', day = '', year] = MONTH_FIRST.exec(text) ?? [];
  return year === undefined ? readDate(text) : writeDay(year, month.padStart(2, '0'), day.padStart(2, '0'));
}

/** Parses `YYYYMMDD`. */
export function readCompactDate(text: string): string | null {
  return /^\d{8}$/.test(text) ? writeDay(text.slice(0, 4), text.slice(4, 6), text.slice(6)) : null;
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/;
const MONTH_FIRST = /^(\d{1,2}(?=\/)|\d{2})\/?(\d{1,2}(?=\/)|\d{2})\/?(\d{4})$/;

/** Whether the text is written as `DD/MM/YYYY`. A row can have ten dates, and a regular expression takes longer. */
function isDayFirst(text: string): boolean {
  if (text.length !== 10) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isWrong = at === 2 || at === 5 ? code < HYPHEN || code > SLASH : code <= SLASH || code > NINE;
    if (isWrong) return false;
  }
  return true;
}

/** The codes of `-`, `/` and `9`. Between the first two is only `.`, and behind them are the digits. */
const [HYPHEN, SLASH, NINE] = [45, 47, 57] as const;

/** Converts a spreadsheet date serial, day 1 being 1 January 1900. Day 60 (29 February 1900) did not exist: null. */
export function readSerialDate(text: string): string | null {
  const serial = /^\d{1,7}(\.\d+)?$/.test(text) ? Math.floor(Number(text)) : Number.NaN;
  if (!(serial >= 1 && serial <= 2_958_465) || serial === 60) return null;
  if (serialDays.size >= MAX_DAYS) serialDays.clear();
  return serialDays.getOrInsertComputed(serial, writeSerialDate);
}

/** Most dates of a register are on a few thousand days, and looking a day up takes less time than writing it again. */
const serialDays = new Map<number, string>();
const MAX_DAYS = 50_000;

/** 1900 is taken for a leap year, so day 61 is 1 March. */
function writeSerialDate(serial: number): string {
  return new Date(Date.UTC(1899, 11, serial < 60 ? 31 : 30) + serial * 86_400_000).toISOString().slice(0, 10);
}

/** `YYYY-MM-DD`, or null if there is no such day. Of most days, two comparisons show that they exist. */
function writeDay(year: string, month: string, day: string): string | null {
  if (day === '00' || (day > '28' && Number(day) > findLastDay(Number(year), month))) return null;
  return month >= '01' && month <= '12' ? `${year}-${month}-${day}` : null;
}

function findLastDay(year: number, month: string): number {
  const isLeap = year % (year % 100 === 0 ? 400 : 4) === 0;
  return month === '02' && isLeap ? 29 : (LAST_DAYS[Number(month) - 1] ?? 0);
}

const LAST_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The trimmed text, or null if it is blank. */
export function readText(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/** The texts that are not empty, with the separator between them. */
export function joinFilled(texts: readonly (string | null | undefined)[], separator: string): string {
  let joined = '';
  for (const text of texts) if (text) joined += joined === '' ? text : separator + text;
  return joined;
}

/** The date of a trimmed text in a column, or null if the text is blank. Anything else is reported. */
export function parseDay(column: string, text: string, reporter: Reporter): string | null {
  if (text === '') return null;
  const day = readDate(text);
  if (day === null) reporter.report(column, text, 'not a date');
  return day;
}

/** The part of `MapContext` that parsers need. */
interface Reporter {
  report(column: string, value: string, problem: string): void;
}

/** A code without the `.0` that programs append when they treat it as a number: `3101.0` → `3101`. */
export function readCode(text: string): string | null {
  return readText(text.trim().replace(/^(\d+)\.0+$/, '$1'));
}

/** A whole number ≥ 0, written in digits only. */
export function readCount(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

/** The object without its empty values: null, undefined, '', `[]` and `{}`. `registry` never holds empty fields. */
export function compact<T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (!isEmpty(value)) kept[name] = value;
  }
  return kept as never;
}

export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** The values of contacts by their kind, each once. A contact without a kind is left out. */
export function groupContacts<Kind extends string>(
  contacts: readonly (readonly [kind: Kind | undefined, value: string])[],
) {
  const lists: { [Name in Kind]?: string[] } = {};
  for (const [kind, value] of contacts) {
    if (kind === undefined || value === '') continue;
    lists[kind] ??= [];
    if (!lists[kind].includes(value)) lists[kind].push(value);
  }
  return lists as { readonly [Name in Kind]?: readonly string[] };
}

/** The parts of a text between separators, trimmed and without empty parts. */
export function splitList(text: string, separator: string | RegExp): string[] {
  const parts: string[] = [];
  for (const written of text.split(separator)) {
    const part = written.trim();
    if (part !== '') parts.push(part);
  }
  return parts;
}

/** The items, without items whose key an earlier item has. */
export function takeDistinct<Item>(items: Iterable<Item>, keyOf: (item: Item) => unknown): Item[] {
  const found = new Map<unknown, Item>();
  for (const item of items) found.getOrInsert(keyOf(item), item);
  return [...found.values()];
}

/** An amount with a decimal comma or point and without thousands separators: `1061004829,23`. */
export function readAmount(text: string): number | null {
  return /^-?\d{1,15}([.,]\d{1,6})?$/.test(text) ? Number(text.replace(',', '.')) : null;
}

/** A JSON or XML record, or an object inside one. Any key may be missing. */
export type Tree = { readonly [key: string]: Json };

/** The value of a key as trimmed text, also of an XML element with attributes, in JSON too (GLEIF). '' if there is no single value. */
export function textOf(tree: Tree, key: string): string {
  return readValue(tree[key]);
}

function readValue(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim();
  if (value === undefined) return '';
  const plain = isTree(value) ? (value['#text'] ?? value.$) : value;
  if (typeof plain === 'string') return plain.trim();
  return typeof plain === 'number' || typeof plain === 'boolean' ? String(plain) : '';
}

/** The object under a key; an empty one if it is missing or not an object. */
export function treeOf(tree: Tree, key: string): Tree {
  const value = tree[key];
  return isTree(value) ? value : {};
}

/** The objects of a list. A single object counts as a list of one, because that is how XML with one element is read. */
export function treesOf(tree: Tree, key: string): readonly Tree[] {
  const value = tree[key];
  if (isTree(value)) return [value];
  if (!Array.isArray(value)) return NO_TREES;
  return value.every(isTree) ? value : value.filter(isTree);
}

const NO_TREES: readonly Tree[] = [];

/** The texts of a list, including empty ones, so that their positions still match those of a parallel list. */
export function textsOf(tree: Tree, key: string): readonly string[] {
  const value = tree[key];
  const items: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return items.map(readValue);
}

export function isTree(value: Json | undefined): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The date under a key, or null if it is missing or blank. Anything else is reported. */
export function readDayOf(tree: Tree, key: string, reporter: Reporter): string | null {
  return parseDay(key, textOf(tree, key), reporter);
}
