import { nameCountry } from '../country-names.ts';
import { isList, type SourceRecord } from './source-values.ts';

/**
 * The lines of an address as on an envelope: street, post code and town, country. The lines are made from `text`, which has the order of
 * the country; the parts only show the meaning of each piece. So nothing is lost if a register has no parts.
 */
export function addressLines(address: SourceRecord): string[] {
  const text = String(address.text ?? '');
  const lines = readLines(address, text);
  // Registers that publish lines put them first.
  const rest = lines.length === 0 ? text : text.slice(lines.join(SEPARATOR).length + SEPARATOR.length);
  const pieces = rest.split(SEPARATOR).filter((piece) => piece !== '');
  const written = pieces.at(-1);
  const isCountry = written !== undefined && namesCountry(address, written);
  const places = isCountry ? pieces.slice(0, -1) : pieces;
  const isTown = (piece: string) => lines.length > 0 || isPartOf(address, piece);
  const street = places.filter((piece) => !isTown(piece)).join(SEPARATOR);
  const town = joinTown(places.filter(isTown), address);
  const country = isCountry ? written : nameMissingCountry(address, lines.at(-1) ?? street);
  return [...lines, street, town, country].filter((line) => line !== '');
}

const SEPARATOR = ', ';
/** The parts of an address that belong to the line of the town. */
const TOWN_PARTS = ['postCode', 'city', 'district', 'municipality', 'region'] as const;

/** The published lines, if the text starts with them. */
function readLines({ lines = [] }: SourceRecord, text: string): string[] {
  const texts = isList(lines) ? lines.map(String) : [];
  return text.startsWith(texts.join(SEPARATOR)) ? texts : [];
}

/** `8970 Poperinge` contains the post code, `SALVADOR - BA` is the town and its region. */
function isPartOf(address: SourceRecord, piece: string): boolean {
  const { postCode } = address;
  if (postCode !== undefined && bare(piece).includes(bare(String(postCode)))) return true;
  const parts = TOWN_PARTS.flatMap((name) => address[name] ?? []).map((part) => bare(String(part)));
  return parts.reduce((left, part) => left.replace(part, ''), bare(piece)) === '';
}

/** A post code and the town after it become one piece: `MD-3500 Orhei`. */
function joinTown(pieces: readonly string[], { postCode = '' }: SourceRecord): string {
  const [first = '', ...others] = pieces;
  if (others.length === 0 || bare(first) !== bare(String(postCode))) return pieces.join(SEPARATOR);
  return `${first} ${others.join(SEPARATOR)}`;
}

function namesCountry({ country, countryCode }: SourceRecord, piece: string): boolean {
  const names = [country, countryCode !== undefined && nameCountry(String(countryCode)).name];
  return names.some((name) => name !== undefined && name !== false && bare(String(name)) === bare(piece));
}

function nameMissingCountry(address: SourceRecord, lastLine: string): string {
  const { countryCode } = address;
  if (countryCode === undefined || namesCountry(address, lastLine.split(SEPARATOR).at(-1) ?? '')) return '';
  return nameCountry(String(countryCode)).name;
}

/** Sources write post codes with and without separators. */
export function bare(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
