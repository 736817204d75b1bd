/** The address is one text without a fixed pattern: `MD-2001, mun. Chişinău, sec. Centru, str. Columna, 5`. */

import { type PlaceMarks, readPlaces, splitAddress } from '../address.ts';
import { compact, readText } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

const POST_CODE = /\bMD-?\s?(\d{4})\b/;

/** A settlement is a municipality, town, commune or village, or a name without a mark that is not a street. */
const MARKS: PlaceMarks = {
  region: /^UTA /i,
  municipality: /^(?:r-nul|raionul|r\.)\s*(\p{L}.*)$/iu,
  district: /^(?:sec\.|sectorul)\s*(\p{L}.*)$/iu,
  settlement: new RegExp(
    `^(?:${anyCase('mun|or|oraş|com|s|sat|satul')})(?:\\.\\s*|\\s+)(\\p{L}[^\\d<>]*)$|` +
      `^(?!(?:${anyCase('str|strada|bd|bulevardul|aleea|calea|şos')}) )\\p{Lu}[\\p{L} -]+$`,
    'u',
  ),
};

/** Instead of `(?i:…)`, which V8 sometimes ignores, as `--no-regexp-optimization` shows. */
function anyCase(words: string): string {
  return words.replace(/\p{L}/gu, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

export function readAddress(raw: string): AddressOf | null {
  const text = readText(raw);
  if (text === null) return null;
  const digits = POST_CODE.exec(text)?.[1];
  const { rest: _street, ...places } = readPlaces(splitAddress(text.replace(POST_CODE, '')), MARKS);
  return { text, ...compact({ postCode: digits && `MD-${digits}`, ...places }), countryCode: 'MD' };
}
