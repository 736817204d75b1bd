import { fold } from '../../base/fold.ts';
import { toLatin } from '../../base/romanise.ts';
import { runWithBreaks } from '../../base/system/event-loop.ts';
import { readRows } from '../../registers/data-files.ts';

/**
 * Names of countries in the languages of our registers and in large languages, from the Unicode locale data of Node. A country in a name
 * distinguishes companies of a group: `Banco Santander` and `Banco Santander México` are two companies.
 */
const LANGUAGES = 'en fr de es it pt nl nb fi sv et lv lt cs pl ro uk ru'.split(' ');
const MORE: Readonly<Record<string, readonly string[]>> = {
  GB: ['uk', 'great britain', 'britain'],
  US: ['usa', 'america', 'united states of america', 'us'],
  HK: ['hong kong', 'hongkong'],
  NL: ['holland'],
  DK: ['danmark'],
  CZ: ['czech republic'],
  CN: ['prc'],
  RU: ['russian federation'],
  KR: ['korea'],
};
/** The maximum number of words in these names of countries. */
const MAX_PLACE_WORDS = 4;

interface Countries {
  /** From folded names to codes. */
  readonly codes: ReadonlyMap<string, string>;
  readonly firstWords: ReadonlySet<string>;
}

let countries: Countries | undefined;
/** Runs when the first name is compared: reading takes 60 ms, and most processes never compare names. */
const reading = readCountries();

/** Reads the names of countries without blocking the event loop. Otherwise the first call of `readPlace` reads them. */
export const preparePlaces = () => runWithBreaks(reading);

function* readCountries(): Generator<undefined, void> {
  const codes = new Map<string, string>();
  const rows = readRows('country-names.tsv');
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (const [code = ''] of rows) {
      const name = toLatin(fold(names.of(code) ?? ''))
        .replace(/[^a-z]+/g, ' ')
        .trim();
      if (name.length > 3 && !codes.has(name) && name.split(' ').length <= MAX_PLACE_WORDS) codes.set(name, code);
      yield;
    }
  }
  for (const [code, names] of Object.entries(MORE)) for (const name of names) codes.set(name, code);
  countries = { codes, firstWords: new Set(Array.from(codes.keys(), (name) => name.split(' ', 1)[0] ?? '')) };
}

/** The country that the words from `start` on name, and the number of words of its name. */
export function readPlace(
  words: readonly string[],
  start: number,
): { readonly code: string; readonly length: number } | undefined {
  if (countries === undefined) for (const _step of reading);
  if (!countries?.firstWords.has(words[start] ?? '')) return undefined;
  for (let length = Math.min(MAX_PLACE_WORDS, words.length - start); length > 0; length--) {
    const code = countries.codes.get(
      length === 1 ? (words[start] ?? '') : words.slice(start, start + length).join(' '),
    );
    if (code !== undefined) return { code, length };
  }
  return undefined;
}
