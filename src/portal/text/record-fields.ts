import { escapeInvisible } from '../../base/display-text.ts';
import { escapeSegment } from '../../base/json/json-excerpt.ts';
import type { SourceValue } from '../../registry/records/source-values.ts';

export interface Field {
  /** The keys that lead to the value. List items are numbered from 1. */
  readonly path: readonly string[];
  /** The value as text. A number is the total of an incomplete list, of which only the first items are listed. */
  readonly value: string | number;
  readonly pointer: string;
}

export interface Place {
  readonly path: readonly string[];
  readonly pointer: string;
}

type Totals = Readonly<Record<string, number>>;

/** Lists every value with its path, in source order. The total of an incomplete list follows its values. */
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

const ACRONYMS = /\b(?:abn|api|elf|eu|euid|id|isic|lei|lou|mei|nace|po|ros|sepa|siren|siret|uen|uri|url|vat)\b/gi;

/** Names that need more than splitting into words. */
const LABELS: Readonly<Record<string, string>> = {
  at: 'Date',
  canonicalName: 'Name',
  citySwedish: 'City (Swedish)',
  cuatm: 'CUATM place code',
  diffusion: 'Disclosure',
  managingLou: 'LEI issuer that manages the record (LOU)',
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

/** Matches complete strings, empty containers, brackets, commas, colons and white space. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g;
