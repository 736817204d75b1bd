import { type ExcerptValue, escapeSegment } from '../../base/json/json-excerpt.ts';
import { RegistryFields } from '../../registers/vocabulary.ts';
import { escapeInvisible } from './display-text.ts';

/** A value of the part of a record that a page shows. Numbers are texts. */
export type SourceValue = ExcerptValue;

export interface Field {
  /** The keys that lead to the value. List items are numbered from 1. */
  readonly path: readonly string[];
  /** A number: how many items the list has, of which only the first ones are listed. */
  readonly value: string | number;
  readonly pointer: string;
}

export interface Place {
  readonly path: readonly string[];
  readonly pointer: string;
}

type Totals = Readonly<Record<string, number>>;

/** Lists every value with its path, in source order. The values of an incomplete list are followed by its total. */
export function flatten(value: SourceValue, totals: Totals = {}, place: Place = { path: [], pointer: '' }): Field[] {
  if (value === null) return [{ ...place, value: '' }];
  if (typeof value !== 'object') return [{ ...place, value: String(value) }];
  const total = totals[place.pointer];
  const more = total === undefined ? [] : [{ ...place, value: total }];
  const entries = Object.entries(value);
  if (entries.length === 0 && total === undefined) return [{ ...place, value: '' }];
  const isOnly = Array.isArray(value) && entries.length === 1 && total === undefined;
  const fields = entries.flatMap(([key, inner]) => {
    const name = Array.isArray(value) ? String(Number(key) + 1) : key;
    const path = isOnly ? place.path : [...place.path, name];
    return flatten(inner, totals, { path, pointer: `${place.pointer}/${escapeSegment(key)}` });
  });
  return [...fields, ...more];
}

/**
 * Turns a camelCase name into a label: `strikeOffProposed` becomes "Strike off proposed", `naceCode` "NACE code", `issuedAt`
 * "Issued on", `isSeat` "Seat".
 */
export function labelOf(key: string): string {
  const known = LABELS[key];
  if (known !== undefined) return known;
  const plain = key
    .replace(/(?<=[a-z])At$/, 'On')
    .replace(/^is(?=[A-Z])/, '')
    .replace(/(?<=[a-z])Fr$/, ' (French)');
  const words = plain.replace(/([a-z\d])([A-Z])/g, (_, before, capital) => `${before} ${capital.toLowerCase()}`);
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return sentence.replace(ACRONYMS, (acronym) => acronym.toUpperCase());
}

/** Joins the labels of nested fields: `Address › PO box`. */
export function labelPath([first = '', ...rest]: readonly string[]): string {
  const lowerFirst = (label: string) => label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  return [labelOf(first), ...rest.map((part) => lowerFirst(labelOf(part)))].join(' › ');
}

const ACRONYMS = /\b(?:abn|api|eu|euid|id|lei|lou|mei|nace|po|ros|sepa|siren|siret|uen|uri|url|vat)\b/gi;

/** Names that need more than splitting into words. */
const LABELS: Readonly<Record<string, string>> = {
  at: 'Date',
  canonicalName: 'Name',
  citySwedish: 'City (Swedish)',
  cuatm: 'CUATM place code',
  numberValid: 'Check digit valid',
};

/** Deeper levels are not indented. Otherwise the text would grow with the square of its depth. */
const MAX_INDENTED_DEPTH = 16;

/** Indents JSON text without parsing it, so that every number keeps its digits. */
export function indentJson(json: string): string {
  let depth = 0;
  const newLine = () => (depth > MAX_INDENTED_DEPTH ? '' : `\n${'  '.repeat(depth)}`);
  return json.replace(TOKENS, (token) => {
    if (token.startsWith('"')) return escapeInvisible(token);
    if (/^[[{]\s*[\]}]$/.test(token)) return token.replace(/\s/g, '');
    if (token === '{' || token === '[') {
      depth++;
      return token + newLine();
    }
    if (token === '}' || token === ']') {
      depth--;
      return newLine() + token;
    }
    if (token === ',') return token + newLine();
    return token === ':' ? ': ' : '';
  });
}

/** Complete strings, empty containers, brackets, commas, colons, white space. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g;

export type SourceRecord = { readonly [key: string]: SourceValue };

/** The parts of a schema that decide whether a value has its shape. */
interface FieldSchema {
  readonly items?: FieldSchema;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[] | undefined;
}

const FIELDS = RegistryFields.properties as Readonly<Record<string, FieldSchema>>;

export interface SplitRegistry {
  /** The fields of the vocabulary, each in its shape. */
  readonly common: SourceRecord;
  /** Everything else, including national fields inside common objects. */
  readonly national: SourceRecord;
}

/**
 * Separates the common fields of `registry` from the national ones. A record that was imported before a field joined the
 * vocabulary can have it in another shape; such a field counts as national.
 */
export function splitRegistry(registry: SourceRecord): SplitRegistry {
  const common: Record<string, SourceValue> = {};
  const national: Record<string, SourceValue> = {};
  for (const [name, value] of Object.entries(registry)) {
    const schema = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (schema === undefined || !hasShape(value, schema)) {
      national[name] = value;
      continue;
    }
    common[name] = value;
    const more = isRecord(value) ? omit(value, Object.keys(schema.properties ?? {})) : {};
    if (Object.keys(more).length > 0) national[name] = more;
  }
  return { common, national };
}

/** The national fields of the items of a common list, in the order in which they first appear. */
export function listNationalKeys(name: string, items: readonly SourceRecord[]): string[] {
  const known = FIELDS[name]?.items?.properties ?? {};
  return [...new Set(items.flatMap((item) => Object.keys(item)))].filter((key) => !Object.hasOwn(known, key));
}

function hasShape(value: SourceValue, { items, properties, required = [] }: FieldSchema): boolean {
  if (items !== undefined) return isList(value) && value.every((item) => hasShape(item, items));
  if (properties === undefined) return typeof value !== 'object';
  return isRecord(value) && required.every((key) => Object.hasOwn(value, key));
}

function omit(record: SourceRecord, keys: readonly string[]): SourceRecord {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

/** The value if it is an object, otherwise an empty one. */
export function readRecord(value: SourceValue | undefined): SourceRecord {
  return value !== undefined && isRecord(value) ? value : {};
}

/** The objects of a list. Empty for any other value. */
export function listRecords(value: SourceValue | undefined): readonly SourceRecord[] {
  return value !== undefined && isList(value) ? value.filter(isRecord) : [];
}

export function isList(value: SourceValue): value is readonly SourceValue[] {
  return Array.isArray(value);
}

export function isRecord(value: SourceValue): value is SourceRecord {
  return typeof value === 'object' && value !== null && !isList(value);
}
