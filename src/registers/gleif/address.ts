import { composeAddress, ENGLISH_STYLE, EUROPEAN_STYLE } from '../address.ts';
import { compact } from '../parsing.ts';
import type { AddressOf, TypedAddressOf } from '../vocabulary.ts';
import type { Entry } from './entry.ts';

/** Countries where the post code follows the city. */
const POST_CODE_LAST = new Set(
  'AU BB BM BS CA GB GG GI HK IE IM IN JE JM KE KY MH MT MU MY NG NZ PH SG TC US VG ZA'.split(' '),
);
/** Countries whose addresses name the state by its code: `Boston MA 02210`. */
const STATE_CODES = new Set(['AU', 'CA', 'US']);

export function readAddress(entry: Entry): AddressOf | null {
  const lines = [entry.text('FirstAddressLine')];
  for (const line of entry.list('AdditionalAddressLine', [''])) lines.push(line.text(''));
  const country = entry.text('Country');
  const region = entry.text('Region');
  const written = composeAddress(
    {
      lines: lines.filter((line) => line !== ''),
      city: entry.text('City'),
      postCode: entry.text('PostalCode'),
      region: STATE_CODES.has(country) ? region.replace(/^[A-Z]{2}-/, '') : null,
      country: nameCountry(country),
    },
    POST_CODE_LAST.has(country) ? ENGLISH_STYLE : EUROPEAN_STYLE,
  );
  if (written === null) return null;
  const { text, country: _, ...parts } = written;
  // The lines repeat the house number and the routing, so `text` has them already.
  const more = {
    careOf: entry.text('MailRouting').replace(/^c\/o\s+/i, ''),
    number: entry.text('AddressNumber'),
    unit: entry.text('AddressNumberWithinBuilding'),
    region,
    countryCode: /^[A-Z]{2}$/.test(country) ? country : '',
    language: entry.attribute('', 'xml:lang'),
  };
  return { text, ...parts, ...compact(more) };
}

/** The headquarters, and both addresses in other languages and scripts. */
export function listAddresses(entity: Entry): TypedAddressOf[] {
  const found: TypedAddressOf[] = [];
  const address = readAddress(entity.at('HeadquartersAddress'));
  if (address !== null) found.push({ type: 'headquarters', ...address });
  for (const path of OTHER_ADDRESSES) {
    for (const entry of entity.list(path, ['FirstAddressLine', 'City'])) {
      const other = readAddress(entry);
      const sourceType = entry.attribute('', 'type');
      const type = sourceType.includes('HEADQUARTERS') ? 'headquarters' : 'other';
      if (other !== null) found.push({ type, ...other, ...compact({ sourceType }) });
    }
  }
  return found;
}

const OTHER_ADDRESSES = [
  'OtherAddresses.OtherAddress',
  'TransliteratedOtherAddresses.TransliteratedOtherAddress',
] as const;

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });
const known = new Map<string, string>();

/** The files have only codes; an address that a person writes ends with the name of the country. */
function nameCountry(code: string): string {
  return known.getOrInsertComputed(code, findName);
}

function findName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : code;
}
