import type { CountryName } from '../registers/index.ts';

const english = new Intl.DisplayNames(['en'], { type: 'region' });

/** Countries whose own name is not in the language that the locale data gives them. */
const LANGUAGES: Readonly<Record<string, string>> = { GH: 'en', KZ: 'kk', NA: 'en', NE: 'fr', SN: 'fr' };

const known = new Map<string, CountryName>();

/**
 * The names of any country (ISO 3166-1 alpha-2), from the Unicode locale data that Node includes. The native name is in
 * the language that most people of the country use. Countries with several languages that have a register, or will get
 * a register, are named by hand in `registers/index.ts`.
 */
export function nameCountry(code: string): CountryName {
  const found = known.get(code) ?? lookUp(code);
  known.set(code, found);
  return found;
}

/** Codes that people write for a country instead of its own code (ISO 3166-1 reserves these codes). */
export const meantCountries: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/** Why a search in this country finds nothing, if there is no such country; otherwise undefined. */
export function describeUnknownCountry(code: string): string | undefined {
  const meant = meantCountries[code];
  if (meant !== undefined) return `There is no country ${code}: did you mean ${meant}?`;
  return codes.of(code) === undefined ? `There is no country ${code}.` : undefined;
}

const codes = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

function lookUp(code: string): CountryName {
  if (!/^[A-Z]{2}$/.test(code)) return { code, name: code, nativeName: code };
  const language = LANGUAGES[code] ?? new Intl.Locale(`und-${code}`).maximize().toString();
  const native = new Intl.DisplayNames([language], { type: 'region' });
  return { code, name: english.of(code) ?? code, nativeName: native.of(code) ?? code };
}
