import { readNumberFragment } from '../../core/search-keys.ts';
import { readVatNumber } from '../../registers/vat-numbers.ts';
import { quote } from './connection.ts';

/**
 * Which rows contain a text. A text index has the posting lists of all fragments of one to three characters (`FRAGMENTS`). They
 * alone answer a text that is no longer; of a longer one they leave few rows, which are then read.
 */

/** `number_keys` without the forms that have no separators, and with a line break around every number. */
const WRITTEN_NUMBERS = "replaceRegexpAll(number_keys, '\\\\t[^\\\\n]*', '')";
const SEPARATE_NUMBERS = "concat('\\n', translate(number_keys, '\\t', '\\n'), '\\n')";

const listFragments = (text: string) => `arrayConcat(ngrams(${text}, 1), ngrams(${text}, 2), ngrams(${text}, 3))`;

/** Of the name and the numbers as written, and of all forms of the numbers. An index finds exactly these expressions. */
export const FRAGMENTS = {
  texts: listFragments(`concat(name_key, '\\n', ${WRITTEN_NUMBERS})`),
  numbers: listFragments('number_keys'),
} as const;

const MAX_INDEXED = 3;
/** The rarest are unknown here, and more hardly leave fewer rows. */
const MAX_LOOKED_UP = 40;

/** The rows that can contain a text. */
function mayContain(fragments: keyof typeof FRAGMENTS, text: string): string {
  const characters = [...text];
  const starts = characters.slice(0, Math.max(1, characters.length - MAX_INDEXED + 1)).slice(0, MAX_LOOKED_UP);
  const parts = new Set(starts.map((_, at) => characters.slice(at, at + MAX_INDEXED).join('')));
  return `hasAll(${FRAGMENTS[fragments]}, [${[...parts].map(quote).join(', ')}])`;
}

const contains = (column: string, text: string) => `position(${column}, ${quote(text)}) > 0`;

/** One of the columns of `Lookup`, which is not empty, contains a text of three or more characters. */
export function writeContains(column: 'name_key' | 'number_keys', text: string): string {
  return `${mayContain(column === 'name_key' ? 'texts' : 'numbers', text)} AND ${contains(column, text)}`;
}

/** The conditions of a `q`, which is folded and not empty. The first one reads only the index, the second one, if any, the texts. */
export function writeFragment(text: string): [indexed: string, ...exact: string[]] {
  const number = readNumberFragment(text);
  const vat = readVatNumber(text);
  const possible = [mayContain('texts', text)];
  if (!number.asWritten) possible.push(mayContain('numbers', number.text));
  if (vat !== undefined) possible.push(mayContain('numbers', vat.number));
  const first = `(${possible.join(' OR ')})`;
  if (vat === undefined && [...text].length <= MAX_INDEXED) return [first];
  const exact = [contains('name_key', text), contains(number.asWritten ? WRITTEN_NUMBERS : 'number_keys', number.text)];
  if (vat !== undefined) {
    const isWhole = contains(SEPARATE_NUMBERS, `\n${vat.number}\n`);
    exact.push(`(country_code = ${quote(vat.country)} AND ${isWhole})`);
  }
  return [first, `(${exact.join(' OR ')})`];
}
