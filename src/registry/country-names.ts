import { fold } from '../base/fold.ts';
import type { CountryName } from '../registers/index.ts';

const english = new Intl.DisplayNames(['en'], { type: 'region' });

/** Countries whose own name is not in the language that the locale data gives them. */
const LANGUAGES: Readonly<Record<string, string>> = { GH: 'en', KZ: 'kk', NA: 'en', NE: 'fr', SN: 'fr' };

const known = new Map<string, CountryName>();

/**
 * The names of any country (ISO 3166-1 alpha-2), from the Unicode locale data that Node includes. The native name is in the language that most people of
 * the country use. Countries with several languages that have a register are named by hand in `registers/index.ts`.
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

/** Names that people use for the United Kingdom. Other old codes and names are in the locale data. */
const PARTS_OF_GB = ['great britain', 'england', 'scotland', 'wales', 'northern ireland'];
/** Codes that have a name in the locale data but are not countries. */
const NO_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Codes of countries by their folded names. Listing native names takes some milliseconds, so they are listed at first use. */
let englishCodes: Map<string, string> | undefined;
let nativeCodes: Map<string, string> | undefined;

/** Returns the code of a country that is given by its code, its English name or its own name. Undefined if there is no such country. */
export function readCountryCode(text: string): string | undefined {
  englishCodes ??= listEnglish();
  const name = fold(text);
  const found = englishCodes.get(name);
  if (found !== undefined || name.length <= 2) return found;
  nativeCodes ??= new Map(englishCodes.values().map((code) => [fold(nameCountry(code).nativeName), code]));
  return nativeCodes.get(name);
}

function listEnglish(): Map<string, string> {
  const names = new Map(PARTS_OF_GB.map((name) => [name, 'GB']));
  for (const given of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
    const name = english.of(given) ?? given;
    // Codes that are not assigned have no name. Old codes, and UK, are replaced by current codes.
    const code = new Intl.Locale('und', { region: given }).region ?? given;
    if (name !== given && !NO_COUNTRIES.includes(given)) names.set(fold(name), code).set(fold(given), code);
  }
  return names;
}
