/** The registered address. It is written by hand instead of with `composeAddress`, because there are millions of rows. */

import { findCountryCode } from '../address.ts';
import type { Cell } from '../contract.ts';
import type { AddressOf } from '../vocabulary.ts';

/** The parts of the kingdom, as the file writes them. Often the country is empty, and some addresses are abroad. */
const KINGDOM = new Set(['ENGLAND', 'WALES', 'SCOTLAND', 'NORTHERN IRELAND', 'UNITED KINGDOM', 'GREAT BRITAIN']);

type AddressPart = 'careOf' | 'poBox' | 'city' | 'region' | 'postCode' | 'country' | 'countryCode';
type Address = { -readonly [Name in AddressPart]?: string } & { text: string; lines?: readonly string[] };

export function readAddress(cell: Cell): AddressOf | null {
  const address: Address = { text: '' };
  let text = '';
  let last = '';
  const addText = (part: string) => {
    // Some rows repeat a line or have the town as the county too.
    if (part !== last) text += text === '' ? part : `, ${part}`;
    last = part;
  };
  const careOf = readCareOf(cell('RegAddress.CareOf').trim());
  if (careOf !== '') {
    address.careOf = careOf;
    addText(`c/o ${careOf}`);
  }
  const poBox = cell('RegAddress.POBox').trim();
  if (poBox !== '') {
    address.poBox = poBox;
    addText(BOX.test(poBox) ? poBox : `PO Box ${poBox}`);
  }
  const lines = readLines(cell);
  if (lines.length > 0) address.lines = lines;
  for (const line of lines) addText(line);
  for (const name in COLUMNS) {
    const part = cell(COLUMNS[name as keyof typeof COLUMNS]).trim();
    if (part === '') continue;
    address[name as keyof typeof COLUMNS] = part;
    addText(part);
  }
  if (text === '') return null;
  const countryCode = readCountryCode(address.country ?? '', address.region ?? '');
  if (countryCode !== null) address.countryCode = countryCode;
  address.text = text;
  return address;
}

const LANGUAGES = ['en'];
/** Often written as the county, because Royal Mail delivers there. They are not part of the kingdom. */
const ISLANDS: ReadonlyMap<string, string> = new Map([
  ['GUERNSEY', 'GG'],
  ['JERSEY', 'JE'],
  ['ISLE OF MAN', 'IM'],
]);

/** Almost all rows are in the kingdom or name no country, so they do not reach the slower search. */
function readCountryCode(country: string, county: string): string | null {
  if (KINGDOM.has(country.toUpperCase())) return 'GB';
  const named = country === '' ? null : findCountryCode(country, LANGUAGES);
  return named ?? ISLANDS.get(county.toUpperCase()) ?? null;
}

/** In the order in which they are written. */
const COLUMNS = {
  city: 'RegAddress.PostTown',
  region: 'RegAddress.County',
  postCode: 'RegAddress.PostCode',
  country: 'RegAddress.Country',
};

const BOX = /box/i;

/** `C/O SMITH & CO` → `SMITH & CO`. Some rows have the prefix alone. */
function readCareOf(text: string): string {
  return text.startsWith('C') || text.startsWith('c') ? text.replace(/^c\s?[/.]\s?o\b[\s.:-]*/i, '') : text;
}

function readLines(cell: Cell): readonly string[] {
  const first = cell('RegAddress.AddressLine1').trim();
  const second = cell('RegAddress.AddressLine2').trim();
  if (second === '') return first === '' ? NO_LINES : [first];
  return first === '' ? [second] : [first, second];
}

const NO_LINES: readonly string[] = [];
