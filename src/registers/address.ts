/**
 * Addresses: writes the one line of an address from its parts, in the order of the country; finds the code of a country by the name that a
 * register writes; and reads the places of an address that is one text.
 */
import { fold } from '../base/fold.ts';
import { readRows } from './data-files.ts';
import { compact } from './parsing.ts';
import type { AddressOf } from './vocabulary.ts';

/** Writes the text of an address. */
export type AddressStyle = (parts: Parts, written?: Parts | null) => string;
type Parts = { readonly [name: string]: unknown };

/** Great Britain, Ireland, Australia, Canada, Singapore. */
export const ENGLISH_STYLE = compileStyle(
  'c/o {careOf}, PO Box {poBox}, {building}, {lines}, {number} {street}, {unit}, {district}, {city} {region} {postCode}, ' +
    '{municipality}, {country}',
);
/** Most of Europe. */
export const EUROPEAN_STYLE = compileStyle(
  'c/o {careOf}, PO Box {poBox}, {building}, {lines}, {street} {number}, {unit}, {district}, {postCode} {city}, {municipality}, ' +
    '{region}, {country}',
);

/**
 * Returns a function that writes an address as in `{street} nr. {number}, {city}`. A part that is missing is left out with the words before it,
 * and so is a part that repeats the one before it, unless repeats are kept. A list is one part for each of its lines.
 */
export function compileStyle(style: string, repeats: 'omitted' | 'kept' = 'omitted'): AddressStyle {
  const areKept = repeats === 'kept';
  const pieces = style.split(', ').map((piece) =>
    Array.from(piece.matchAll(/([^{}]*)\{(\w+)\}/g), ([, before = '', name = '']) => ({
      before: before.trimStart(),
      name,
    })),
  );
  return (parts, written) => {
    const found: string[] = [];
    for (const words of pieces) {
      let piece = '';
      let last = '';
      for (const { before, name } of words) {
        const part = written?.[name] ?? parts[name];
        if (Array.isArray(part)) found.push(...part);
        if (typeof part !== 'string' || part === '' || (part === last && !areKept)) continue;
        last = part;
        piece += piece === '' ? before + part : ` ${before}${part}`;
      }
      if (piece !== '') found.push(piece);
    }
    let text = '';
    let last = '';
    for (const piece of found) {
      if (piece === '' || (piece === last && !areKept)) continue;
      last = piece;
      text += text === '' ? piece : `, ${piece}`;
    }
    return text;
  };
}

type AddressPart =
  | 'careOf'
  | 'poBox'
  | 'building'
  | 'street'
  | 'number'
  | 'unit'
  | 'district'
  | 'postCode'
  | 'city'
  | 'municipality'
  | 'region'
  | 'country'
  | 'countryCode';

/** The parts that the source has, trimmed. A part that the source lacks is null, '' or missing. */
export type AddressParts = { readonly [Name in AddressPart]?: string | null } & {
  /** The complete address, if the source has the address as one text. */
  readonly text?: string | null;
  readonly lines?: readonly string[];
};

/**
 * The address with its `text`, without empty parts. Null if the source has no address. A lone `countryCode` is not an
 * address, because some registers fill it in every row.
 */
export function composeAddress(parts: AddressParts, style: AddressStyle): AddressOf | null {
  const text = parts.text || style(parts);
  return text === '' ? null : Object.assign({ text }, compact(parts));
}

/** What is known about names in some languages, with the results of the last searches: many rows name the same country, or none. */
interface KnownNames {
  readonly codes: ReadonlyMap<string, string>;
  readonly found: Map<string, string | null>;
}

const known = new Map<string, KnownNames>();
/** The texts may be parts of the texts of whole blocks of a file, which then stay in memory. */
const MAX_FOUND = 256;

/**
 * The code of the country that has this name in one of the languages (ISO 639-1, `fr,nl`). The name may have parts in parentheses, between slashes or
 * after a comma: `Duitsland (Bondsrep.)`, `Monaco /Vorstendom/`, `Cayman, Ilhas`. Null if the text is not the name of one country.
 */
export function findCountryCode(name: string, languages: string): string | null {
  if (name === '') return null;
  const { codes, found } = known.getOrInsertComputed(languages, readNames);
  const exact = codes.get(name) ?? found.get(name);
  if (exact !== undefined) return exact;
  if (found.size >= MAX_FOUND) found.clear();
  const code = searchNames(name, codes);
  found.set(name, code);
  return code;
}

function searchNames(name: string, names: KnownNames['codes']): string | null {
  const short = name.replace(/\([^)]*\)?|\/[^/]*\//g, ' ');
  const [before = '', after = ''] = short.split(',', 2);
  for (const text of [name, short, `${after} ${before}`, before]) {
    const code = names.get(simplify(text));
    if (code !== undefined) return code;
  }
  return null;
}

/**
 * `country-names.tsv` has every code (ISO 3166-1 alpha-2) with names, as `simplify` writes them, that registers write and the Unicode
 * locale data of Node lacks.
 */
function readNames(languages: string): KnownNames {
  const names = new Map<string, string>();
  for (const [code = '', others] of readRows('country-names.tsv')) {
    for (const language of languages.split(',')) {
      for (const style of ['long', 'short'] as const) {
        const name = new Intl.DisplayNames([language], { type: 'region', style }).of(code);
        // Most registers write exactly this name, which an exact lookup finds without `simplify`.
        if (name !== undefined) names.set(name, code).set(simplify(name), code);
      }
    }
    for (const name of others?.split('|') ?? []) names.set(name, code);
  }
  return { codes: names, found: new Map() };
}

/** Words only: registers differ in case, accents, hyphens and dots. */
function simplify(text: string): string {
  return fold(text)
    .replaceAll('.', '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** How a register marks each kind of place, such as `Harku vald`. A group in a pattern is the name without the mark. */
export interface PlaceMarks {
  /** A county or another area of several municipalities. */
  readonly region?: RegExp;
  readonly municipality: RegExp;
  /** A part of a city or of a municipality. */
  readonly district: RegExp;
  /** Tried after the other marks, so the pattern may match names without a mark. */
  readonly settlement: RegExp;
}

interface Places {
  readonly region: string | null;
  readonly municipality: string | null;
  readonly district: string | null;
  readonly city: string | null;
  /** The parts after the places: street and house. */
  readonly rest: readonly string[];
}

/**
 * Takes the parts of an address, from the largest place to the smallest, and reads those that are places. The settlement (city, town or
 * village) is the `city`, and the municipality or administrative district that it belongs to is the `municipality`.
 */
export function readPlaces(parts: readonly string[], marks: PlaceMarks): Places {
  const places = { region: NONE, municipality: NONE, district: NONE, city: NONE };
  let read = 0;
  for (const part of parts) {
    const kind = AREAS.find((area) => marks[area]?.test(part));
    if (kind !== undefined) places[kind] = findName(part, marks[kind]);
    else {
      const isPlace = marks.settlement.test(part) && !(places.city !== null && isHouse(parts[read + 1]));
      if (!isPlace) break;
      // A settlement inside another settlement: `mun. Chişinău, com. Bubuieci, s. Bîc`.
      if (places.municipality === null) places.municipality = places.city;
      else places.district ??= places.city;
      places.city = findName(part, marks.settlement);
    }
    read++;
  }
  if (places.municipality === places.city) places.municipality = null;
  return { ...places, rest: parts.slice(read) };
}

const NONE: string | null = null;
const AREAS = ['region', 'municipality', 'district'] as const;

function findName(part: string, mark: RegExp | undefined): string {
  return mark?.exec(part)?.[1] ?? part;
}

/** A name that a house number follows is a street: `Chişinău, Columna, 5`. */
function isHouse(part: string | undefined): boolean {
  return part !== undefined && /^\d/.test(part);
}
