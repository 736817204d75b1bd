/** Addresses in other countries have post code and city in one text, in the order of that country. */
import { readCodeLists } from '../data-files.ts';

const lists = readCodeLists('no');
const [POST_CODES, SIGNS] = [lists.meanings('post code'), lists.meanings('sign')];

interface City {
  readonly postCode?: string;
  readonly city?: string;
  readonly region?: string;
}

/** Post codes of these countries include the code of the country, as their own registers write them. */
const PREFIX_STAYS: ReadonlySet<string> = new Set(['LT', 'LV']);

/**
 * `SE-113 43 STOCKHOLM`, `1976 BV IJMUIDEN`, `GLASGOW G3 6EF SCOTLAND`, `US-PHILADELPHIA PA 19106`. A text in another form is
 * unchanged the city, without the code of the country.
 */
export function splitForeignCity(written: string, countryCode: string): City {
  const text = written.replace(new RegExp(`^${countryCode}-(?=\\p{L})`, 'u'), '');
  const pattern = POST_CODES.get(countryCode);
  if (pattern === undefined) return { city: text };
  const prefix = `(?:${[countryCode, SIGNS.get(countryCode)].filter(Boolean).join('|')})`;
  const first = new RegExp(`^(${prefix}[- ]?)??(${pattern})(?:[ ,]+(\\p{L}.*))?$`, 'u').exec(text);
  if (first !== null) {
    const [, sign = '', postCode = '', city] = first;
    const isPart = sign !== '' && PREFIX_STAYS.has(countryCode);
    return { postCode: isPart ? sign + postCode : postCode, ...splitProvince(city, countryCode) };
  }
  const state = countryCode === 'US' || countryCode === 'CA' ? '(?:[ ,]+((?-i:[A-Z]{2})))?' : '()';
  const nation = '(?:[ ,]+(SCOTLAND|ENGLAND|WALES|NORTHERN IRELAND))?';
  const last = new RegExp(`^(\\p{L}.*?)${state}[ ,]+(?:CAP )?(${pattern})${nation}$`, 'iu').exec(text);
  if (last === null) return { city: text };
  const [, city = text, part, postCode = '', country] = last;
  const region = part || country;
  return { postCode, ...splitProvince(city, countryCode), ...(region && { region }) };
}

/** `MONTERONI D'ARBIA (SI)`: a city of Italy with its province. */
function splitProvince(text: string | undefined, countryCode: string): City {
  const [, city, region] = (countryCode === 'IT' && /^(.*\S) *\(([A-Z]{2})\)$/.exec(text ?? '')) || [];
  if (city !== undefined && region !== undefined) return { city, region };
  return text === undefined ? {} : { city: text };
}
