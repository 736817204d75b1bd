/** The address is one text without a fixed pattern: `MD-2001, mun. Chişinău, sec. Centru, str. Columna, 5`. */
import { readText } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

const POST_CODE = /\bMD-?\s?(\d{4})\b/;
/** Municipality, town, commune or village. */
const PLACE = /^(?:mun|or|oraş|com|s|sat|satul)(?:\.\s*|\s+)(\p{L}[^\d<>]*)$/iu;
const DISTRICT = /^(?:r-nul|raionul|r\.)\s*(\p{L}.*)$/iu;
/** A name without a prefix, in the first part only, where no street can be. */
const BARE_NAME = /^\p{Lu}[\p{L} -]+$/u;

export function readAddress(raw: string): AddressOf | null {
  const text = readText(raw);
  if (text === null) return null;
  const digits = POST_CODE.exec(text)?.[1];
  const parts = text
    .replace(POST_CODE, '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const city = findCity(parts);
  const region = parts.map((part) => DISTRICT.exec(part)?.[1]).find(Boolean);
  return {
    text,
    ...(digits !== undefined && { postCode: `MD-${digits}` }),
    ...(city !== undefined && { city }),
    ...(region !== undefined && { region }),
    countryCode: 'MD',
  };
}

/** The last place counts: `mun. Chişinău, com. Stăuceni` is in Stăuceni. */
function findCity(parts: readonly string[]): string | undefined {
  const places = parts.flatMap((part) => PLACE.exec(part)?.[1] ?? []);
  const [first = ''] = parts;
  return places.at(-1) ?? (BARE_NAME.test(first) && !DISTRICT.test(first) ? first : undefined);
}
