/** Addresses in other countries have post code and city in one text, in the order of that country. */

/** How post codes of a country look. Texts of other countries are not split. */
const POST_CODES: Readonly<Record<string, string>> = {
  ...assign('\\d{3}', 'FO IS'),
  ...assign('\\d{4}', 'AT AU BE BG CH CY DK HU LU LV NZ ZA'),
  ...assign('\\d{5}', 'DE EE ES FI FR HR IT LT MX TR UA'),
  ...assign('\\d{5}(?:-\\d{4})?', 'US'),
  ...assign('\\d{3} ?\\d{2}|\\d{2} \\d{3}', 'CZ GR SE SK'),
  ...assign('\\d{6}', 'CN IN RO RU SG'),
  ...assign('\\d{2}-?\\d{3}', 'PL'),
  ...assign('\\d{4}-\\d{3}', 'PT'),
  ...assign('\\d{4} ?[A-Z]{2}', 'NL'),
  ...assign('[A-Z]{3} ?\\d{4}', 'MT'),
  ...assign('[A-Z]\\d[A-Z] ?\\d[A-Z]\\d', 'CA'),
  ...assign('[A-Z]\\d[\\dW] ?[A-Z\\d]{4}', 'IE'),
  // The register also has codes with the letter O in place of a zero.
  ...assign('[A-Z]{1,2}\\d[A-Z\\d]? ?[\\dO][A-Z]{2}', 'GB GG IM JE'),
};

function assign(pattern: string, countries: string): Record<string, string> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, pattern]));
}

interface City {
  readonly postCode?: string;
  readonly city?: string;
  readonly region?: string;
}

/** What may precede a post code, besides the code of the country: signs that vehicles have, or had. */
const SIGNS: Readonly<Record<string, string>> = {
  AT: 'A',
  BE: 'B',
  DE: 'D',
  ES: 'E',
  FI: 'FIN|SF',
  FR: 'F',
  HU: 'H',
  IT: 'I',
  LU: 'L',
  PT: 'P',
  SE: 'S',
};
/** Post codes of these countries include the code of the country, as their own registers write them. */
const PREFIX_STAYS: ReadonlySet<string> = new Set(['LT', 'LV']);

/**
 * `SE-113 43 STOCKHOLM`, `1976 BV IJMUIDEN`, `GLASGOW G3 6EF SCOTLAND`, `US-PHILADELPHIA PA 19106`. A text in another form is the
 * city as it is, without the code of the country.
 */
export function splitForeignCity(written: string, countryCode: string): City {
  const text = written.replace(new RegExp(`^${countryCode}-(?=\\p{L})`, 'u'), '');
  const pattern = POST_CODES[countryCode];
  if (pattern === undefined) return { city: text };
  const prefix = `(?:${[countryCode, SIGNS[countryCode]].filter(Boolean).join('|')})`;
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
