import { escapeInvisible } from './display-text.ts';

/**
 * A parsed record whose numbers are the source text: `1.0` stays `1.0`, and a number too long for a double keeps all
 * its digits.
 */
export type SourceValue = string | boolean | null | readonly SourceValue[] | { readonly [key: string]: SourceValue };

export function parseSourceJson(json: string): SourceValue {
  // The reviver's third argument has the source text of a number. TypeScript does not declare it yet.
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: Source) => unknown,
  ) => SourceValue;
  return parse(json, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

interface Source {
  readonly source: string;
}

export interface Field {
  /** The keys that lead to the value. List items are numbered from 1. */
  readonly path: readonly string[];
  readonly value: string;
}

/** Lists every value of a record with its path, in source order. */
export function flatten(value: SourceValue, path: readonly string[] = []): Field[] {
  if (value === null) return [{ path, value: '' }];
  if (typeof value !== 'object') return [{ path, value: String(value) }];
  if (Array.isArray(value)) {
    if (value.length === 0) return [{ path, value: '' }];
    if (value.length === 1) return flatten(value[0], path);
    return value.flatMap((item, index) => flatten(item, [...path, String(index + 1)]));
  }
  const entries = Object.entries(value);
  return entries.length === 0
    ? [{ path, value: '' }]
    : entries.flatMap(([key, inner]) => flatten(inner, [...path, key]));
}

/** Turns a camelCase name into a label: `strikeOffProposed` becomes "Strike off proposed", `naceCode` "NACE code". */
export function labelOf(key: string): string {
  const known = LABELS[key];
  if (known !== undefined) return known;
  const words = key.replace(/([a-z\d])([A-Z])/g, (_, before, capital) => `${before} ${capital.toLowerCase()}`);
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return sentence.replace(ACRONYMS, (acronym) => acronym.toUpperCase());
}

/** Joins the labels of nested fields: `Address › PO box`. */
export function labelPath([first = '', ...rest]: readonly string[]): string {
  const lowerFirst = (label: string) => label.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  return [labelOf(first), ...rest.map((part) => lowerFirst(labelOf(part)))].join(' › ');
}

const ACRONYMS = /\b(?:abn|api|eu|euid|id|lei|lou|nace|po|sepa|siren|siret|uen|uri|vat)\b/gi;

/** Names that need more than splitting into words. */
const LABELS: Readonly<Record<string, string>> = {
  cuatm: 'CUATM place code',
  numberValid: 'Check digit valid',
};

/** Indents JSON text without parsing it, so that every number keeps its digits. */
export function indentJson(json: string): string {
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
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
