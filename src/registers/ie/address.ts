/** The address: up to four lines and an Eircode. Lines may end with the county, and with the country. */
import type { Cell } from '../contract.ts';
import { findCountryCode } from '../country-code.ts';
import { compact, readTexts } from '../parsing.ts';
import { splitAddress } from '../settlements.ts';
import type { AddressOf } from '../vocabulary.ts';

const ADDRESS = ['company_address_1', 'company_address_2', 'company_address_3', 'company_address_4'];
/** Instead of an address, in any line and possibly more than once in a line. */
const NO_ADDRESS = /\**\s*NO ADDRESS DETAILS\s*\**/gi;
const EIRCODE = /^([A-Z]\d[\dW])\s*([A-Z\d]{4})$/;

export function readAddress(cell: Cell): AddressOf | null {
  const eircode = cell('eircode').trim().toUpperCase();
  const [, routing, unique] = EIRCODE.exec(eircode) ?? [];
  const postCode = routing === undefined ? eircode : `${routing} ${unique}`;
  const lines = readTexts(ADDRESS, cell)
    .map((line) => line.replace(NO_ADDRESS, '').trim())
    .filter((line) => line !== '');
  const text = [...lines, postCode].filter((line, index, all) => line !== '' && line !== all[index - 1]).join(', ');
  // Foreign companies have addresses abroad. Only an Irish one has an Eircode.
  const countryCode = routing === undefined ? findCountry(lines.at(-1) ?? '') : 'IE';
  return text === '' ? null : { text, ...compact({ lines, postCode, ...findCity(lines), countryCode }) };
}

/** The last line may be the name of a country. Georgia is left out: it is more often the state of the United States. */
function findCountry(line: string): string | null {
  const code = line.length > 40 ? null : findCountryCode(line, ['en']);
  return code === 'GE' ? null : code;
}

/**
 * The part before the county, if it looks like the name of a settlement: `Cobh, Co. Cork`. A county is marked, or the country follows
 * (`Longford, Ireland`). A postal district of Dublin needs no county.
 */
function findCity(lines: readonly string[]): { readonly city?: string; readonly district?: string } {
  const parts = lines.flatMap(splitAddress);
  const takeLast = (pattern: RegExp) => (pattern.test(parts.at(-1) ?? '') ? parts.pop() : undefined);
  takeLast(EIRCODE_PART);
  const namesCountry = takeLast(IRELAND) !== undefined;
  takeLast(EIRCODE_PART);
  let hasCounty = namesCountry && takeLast(COUNTY_NAME) !== undefined;
  while (takeLast(MARKED_COUNTY) !== undefined) hasCounty = true;
  const last = parts.at(-1) ?? '';
  const dublin = DUBLIN_DISTRICT.exec(last)?.[1];
  if (dublin !== undefined) return { city: dublin, district: last };
  return hasCounty && SETTLEMENT.test(last) && !OTHER_PART.test(last) ? { city: last } : {};
}

const COUNTIES =
  'Carlow|Cavan|Clare|Cork|Donegal|Dublin|Galway|Kerry|Kildare|Kilkenny|Laois|Leitrim|Limerick|Longford|Louth|Mayo|Meath|' +
  'Monaghan|Offaly|Roscommon|Sligo|Tipperary|Waterford|Westmeath|Wexford|Wicklow';
const COUNTY_NAME = new RegExp(`^(?:${COUNTIES})$`, 'i');
const MARKED_COUNTY = new RegExp(`^(?:County\\s+|Co\\.\\s*|Co\\s+)(?:${COUNTIES})\\.?$`, 'i');
const IRELAND = /^(?:(?:Republic of )?Ireland|Éire)\.?$/iu;
const EIRCODE_PART = new RegExp(EIRCODE.source, 'i');
const DUBLIN_DISTRICT = /^(Dublin) (?:\d{1,2}|6W)$/i;

const SETTLEMENT = /^\p{Lu}[\p{L}'’. -]+$/u;
/** Roads, estates, buildings, companies and counties, which are not settlements. `St.` is a street only at the end. */
const OTHER_PART = new RegExp(
  `\\b(?:Road|Rd|Street|Avenue|Ave|Lane|Drive|Park|Estate|Centre|Center|House|Quay|Quays|Square|Terrace|Court|Place|Way|Row|Close|` +
    'Crescent|Grove|View|Lawns?|Heights|Mall|Floor|Unit|Suite|Building|Block|Industrial|Business|Enterprise|Technology|Office|Retail|' +
    'Shopping|Campus|Hotel|Farm|Lodge|Cottage|Gardens?|Walk|Mews|Wharf|Docks?|Manor|Villas?|Parade|Limited|Ltd|Solicitors|' +
    'Accountants|County|Co)\\b|\\bSt\\.?$',
  'i',
);
