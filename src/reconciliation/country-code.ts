import { fold } from '../core/fold.ts';
import { nameCountry } from '../registry/country-names.ts';

/** What people write for the United Kingdom. Other old codes and names are in the locale data. */
const PARTS_OF_GB = ['great britain', 'england', 'scotland', 'wales', 'northern ireland'];
/** Codes that have a name in the locale data, and are no country. */
const NO_COUNTRIES = ['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ'];
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Codes of countries by their folded names. Native names take some milliseconds, so they are listed when one is asked for. */
let english: Map<string, string> | undefined;
let native: Map<string, string> | undefined;

/** The code of a country that is named by its code, its English name or its own name. Undefined if there is no such country. */
export function readCountryCode(text: string): string | undefined {
  english ??= listEnglish();
  const name = fold(text);
  const found = english.get(name);
  if (found !== undefined || name.length <= 2) return found;
  native ??= new Map(english.values().map((code) => [fold(nameCountry(code).nativeName), code]));
  return native.get(name);
}

function listEnglish(): Map<string, string> {
  const names = new Map(PARTS_OF_GB.map((name) => [name, 'GB']));
  const shown = new Intl.DisplayNames(['en'], { type: 'region' });
  for (const given of LETTERS.flatMap((first) => LETTERS.map((second) => first + second))) {
    const name = shown.of(given) ?? given;
    // Codes that are not assigned have no name. Old codes, and UK, become current ones.
    const code = new Intl.Locale('und', { region: given }).region ?? given;
    if (name !== given && !NO_COUNTRIES.includes(given)) names.set(fold(name), code).set(fold(given), code);
  }
  return names;
}
