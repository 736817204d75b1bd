/** Which company a corporate owner is. Country and number are free text, so a link needs both to be beyond doubt. */
import { fold } from '../../base/fold.ts';
import { findCountryCode } from '../address.ts';
import type { MappedParty } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Tree, textOf } from '../parsing.ts';

type Linked = Pick<MappedParty, 'number' | 'link' | 'countryCode'>;

const NO_NUMBERS: ReadonlySet<string> = new Set('n/a|na|n.a.|n.a|none|not applicable|unknown|tbc|-'.split('|'));

/** The names that companies of the United Kingdom write as their country, simplified, and whether their numbers may be digits alone. */
const UK = readCodeLists('gb').meanings<'digits' | 'letters'>('country');

/** Texts that may name a state instead of a country, such as `Georgia, USA` and `Georgia`. */
const AMBIGUOUS = /,|^georgia$|^$/i;

/** The countries of other registers that a link may name. The import checks the form and the check digits of numbers of these registers. */
const OTHERS: ReadonlySet<string | null> = new Set('BE CZ EE FI FR IE LT LV NO'.split(' '));

/** Companies, partnerships, societies and others whose numbers start with letters. */
const PREFIXED =
  /^(?:AC|CE|CS|ES|FC|FE|GE|GN|GS|IC|IP|LP|NA|NC|NF|NI|NL|NO|NP|NR|NV|NZ|OC|OE|PC|RC|RS|SA|SC|SE|SF|SG|SI|SL|SO|SP|SR|SZ|ZC)\d{5}[\dA-Z]$/;
/** Shorter numbers of digits are often something else, such as the year of the Companies Act. */
const DIGITS = /^\d{5,8}$/;

export function readLink(identification: Tree, company: string): Linked {
  const written = textOf(identification, 'registration_number');
  const number = written === '' || NO_NUMBERS.has(written.toLowerCase()) || /^0+$/.test(written) ? null : written;
  const place = textOf(identification, 'country_registered') || textOf(identification, 'place_registered');
  const country = simplify(place);
  const isUk = UK.has(country);
  const countryCode = isUk ? 'GB' : AMBIGUOUS.test(place) ? null : findCountryCode(place, ['en']);
  const found = number && (isUk ? readUkNumber(number, country) : findForeign(number, countryCode));
  // Some companies write their own number.
  const isItself = found && found.register === 'gb' && found.number === company;
  return { number, countryCode, link: found && !isItself ? found : null };
}

function simplify(country: string): string {
  return fold(country.replaceAll('&', ' and ').replaceAll('.', ''))
    .replace(/[^a-z]+/g, ' ')
    .trim();
}

function readUkNumber(written: string, country: string): MappedParty['link'] {
  const text = written.replace(/\s/g, '').toUpperCase();
  if (!(PREFIXED.test(text) || (DIGITS.test(text) && UK.get(country) === 'digits'))) return null;
  return NUMBER.test(text) ? { register: 'gb', number: writeNumber(text) } : null;
}

function findForeign(written: string, countryCode: string | null): MappedParty['link'] {
  const number = written.replace(/[\s.-]/g, '');
  if (countryCode === null || !OTHERS.has(countryCode) || !/^\d{5,}$/.test(number)) return null;
  return { register: countryCode.toLowerCase(), number };
}

/**
 * A number of the register: eight digits, two letters and six digits, or an older form such as `IP10067R` and `R0000123`. There is no check
 * digit, and leading zeros are often left out.
 */
export const NUMBER = /^(?:\d{1,8}|[A-Z]{2}\d{5}[0-9A-Z]|R\d{7})$/;

export function writeNumber(number: string): string {
  return /^\d+$/.test(number) ? number.padStart(8, '0') : number.toUpperCase();
}
