import { escapeUnseen } from './display-text.ts';

/**
 * A record as its JSON says it, number by number as written: `1.0` stays `1.0`, and a number too long for a float loses nothing.
 */
export type Written = string | boolean | null | readonly Written[] | { readonly [key: string]: Written };

export function readWritten(json: string): Written {
  // The source of a number reaches the reviver as its third argument, which TypeScript does not know yet.
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, context: Source) => unknown,
  ) => Written;
  return parse(json, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

interface Source {
  readonly source: string;
}

export interface Field {
  /** The keys that lead to it; of an item of a list, its place from 1. */
  readonly path: readonly string[];
  readonly value: string;
}

/** Every value of a record with the way to it, in the order of the source. */
export function flatten(value: Written, path: readonly string[] = []): Field[] {
  if (value === null) return [{ path, value: '' }];
  if (typeof value !== 'object') return [{ path, value: String(value) }];
  if (Array.isArray(value)) {
    if (value.length === 0) return [{ path, value: '' }];
    if (value.length === 1) return flatten(value[0], path);
    return value.flatMap((item, at) => flatten(item, [...path, String(at + 1)]));
  }
  const entries = Object.entries(value);
  return entries.length === 0
    ? [{ path, value: '' }]
    : entries.flatMap(([key, inner]) => flatten(inner, [...path, key]));
}

/** The words of a camelCase name: `strikeOffProposed` is "Strike off proposed". */
export function labelOf(key: string): string {
  const known = LABELS[key];
  if (known !== undefined) return known;
  const words = key.replace(/([a-z\d])([A-Z])/g, (_, before, capital) => `${before} ${capital.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Names of which the words alone would say too little. */
const LABELS: Readonly<Record<string, string>> = {
  uri: 'URI',
  cuatm: 'CUATM place code',
  vatNumber: 'VAT number',
  inVatRegister: 'In the VAT register',
  lei: 'LEI',
  poBox: 'PO box',
  careOf: 'Care of',
  numberValid: 'Check digit of the number is right',
  sepaCreditorId: 'SEPA creditor id',
};

/** JSON text with line breaks and indents, every value as it was. */
export function indentJson(json: string): string {
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  return json.replace(TOKENS, (token) => {
    if (token.startsWith('"')) return escapeUnseen(token);
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

/** Strings as a whole, empty containers, brackets, commas, colons, blanks. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[{]\s*[\]}]|[[\]{},:]|\s+/g;
