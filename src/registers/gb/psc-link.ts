/** Which company a corporate owner is. Country and number are free text, so a link needs both to be beyond doubt. */
import { fold } from '../../core/fold.ts';
import { findCountryCode } from '../address.ts';
import type { MappedParty } from '../contract.ts';
import { type Tree, textOf } from '../parsing.ts';
import { checkNumber } from './number.ts';

type Linked = Pick<MappedParty, 'number' | 'link' | 'countryCode'>;

const NO_NUMBERS: ReadonlySet<string> = new Set([
  'n/a',
  'na',
  'n.a.',
  'n.a',
  'none',
  'not applicable',
  'unknown',
  'tbc',
  '-',
]);

/** What a company of the United Kingdom writes as its country, as `simplify` writes it. */
const UK: ReadonlySet<string> = new Set(
  (
    'united kingdom|uk|gb|great britain|england and wales|england wales|england|wales|united kingdom england and wales|' +
    'united kingdom england|england united kingdom|england uk|england and wales uk|england and wales united kingdom|' +
    'united kingdom of great britain and northern ireland'
  ).split('|'),
);
/** Their numbers start with letters, which many leave out: digits alone may be those of another company in England. */
const LETTERED: ReadonlySet<string> = new Set(['scotland', 'northern ireland']);

/** Of `Georgia, USA` the first part is a state, and so may `Georgia` be. */
const AMBIGUOUS = /,|^georgia$|^$/i;

/** Registers of other countries here, by the code of the country. The import checks the form and the check digits of their numbers. */
const OTHERS: Readonly<Record<string, string>> = {
  ...{ BE: 'be', CZ: 'cz', EE: 'ee', FI: 'fi', FR: 'fr', IE: 'ie', LT: 'lt', LV: 'lv', NO: 'no' },
};

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
  const isUk = UK.has(country) || LETTERED.has(country);
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
  if (!(PREFIXED.test(text) || (DIGITS.test(text) && !LETTERED.has(country)))) return null;
  const number = checkNumber(text)?.number;
  return number === undefined ? null : { register: 'gb', number };
}

function findForeign(written: string, countryCode: string | null): MappedParty['link'] {
  const register = OTHERS[countryCode ?? ''];
  const number = written.replace(/[\s.-]/g, '');
  return register === undefined || !/^\d{5,}$/.test(number) ? null : { register, number };
}
