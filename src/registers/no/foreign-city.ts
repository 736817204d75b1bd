/** Addresses in other countries have post code and city in one text, in the order of that country. */

/** How post codes of a country look. Texts of other countries are not split. */
const POST_CODES: Readonly<Record<string, string>> = {
  ...assign('\\d{3}', 'FO IS'),
  ...assign('\\d{4}', 'AT AU BE BG CH CY DK HU LU LV NZ ZA'),
  ...assign('\\d{5}', 'DE EE ES FI FR HR IT LT MX TR UA US'),
  ...assign('\\d{3} ?\\d{2}', 'CZ GR SE SK'),
  ...assign('\\d{6}', 'CN IN RO RU SG'),
  ...assign('\\d{2}-\\d{3}', 'PL'),
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
  readonly city: string;
  readonly region?: string;
}

/** `SE-113 43 STOCKHOLM`, `1976 BV IJMUIDEN`, `GLASGOW G3 6EF SCOTLAND`, `Campbell, CA 95008`. */
export function splitForeignCity(text: string, countryCode: string): City {
  const pattern = POST_CODES[countryCode];
  if (pattern === undefined) return { city: text };
  const [, first, rest] = new RegExp(`^((?:[A-Z]{1,2}[- ]?)??${pattern})[ ,]+(\\p{L}.*)$`, 'u').exec(text) ?? [];
  if (first !== undefined && rest !== undefined) return { postCode: first, city: rest };
  const ending = countryCode === 'US' || countryCode === 'CA' ? '(?:, ?([A-Z]{2}))?' : '()';
  const nation = '(?:[ ,]+(SCOTLAND|ENGLAND|WALES|NORTHERN IRELAND))?';
  const last = new RegExp(`^(\\p{L}.*?)${ending}[ ,]+(${pattern})${nation}$`, 'iu').exec(text);
  if (last === null) return { city: text };
  const [, city = text, state, postCode, part] = last;
  const region = state || part;
  return { ...(postCode !== undefined && { postCode }), city, ...(region && { region }) };
}
