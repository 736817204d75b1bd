import { fold } from '../../base/fold.ts';
import { toLatin } from '../../base/romanise.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';

/**
 * Names of countries in the languages of our registers and the large ones, from the Unicode locale data that Node includes. A country in a
 * name tells companies of a group apart: `Banco Santander` and `Banco Santander México` are two.
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
/** The most words that the name of a country has here. */
const MAX_PLACE_WORDS = 4;

/** Codes of private use, and of groups of countries such as `EU`. */
const UNUSED =
  /^(?:A[A]|Q[M-Z]|X[A-JL-Z]|ZZ|EU|EZ|UN|DD|SU|YU|CS|FX|TP|ZR|BU|DY|HV|NH|RH|VD|AC|CP|CQ|DG|EA|IC|TA|AN|NT|UK)$/;

interface Countries {
  /** From folded names to codes. */
  readonly codes: ReadonlyMap<string, string>;
  readonly firstWords: ReadonlySet<string>;
}

/** Read in steps, with the first name that is compared: all of it takes 60 ms, and most processes never compare one. */
const steps = readCountries();
let countries: Countries | undefined;

/** Reads the names of countries without blocking the event loop. Otherwise the first call of `readPlace` reads them. */
export async function preparePlaces(): Promise<void> {
  while (countries === undefined) {
    takeStep();
    const pause = takeBreakIfDue();
    if (pause !== undefined) await pause;
  }
}

function takeStep(): void {
  const step = steps.next();
  if (step.done === true) countries = step.value;
}

function* readCountries(): Generator<undefined, Countries> {
  const found = new Map<string, string>();
  const english = displayNames('en');
  const codes: string[] = [];
  for (const code of regionCodes()) {
    // A code without an English name has none in other languages.
    if (english.of(code) !== undefined) codes.push(code);
    yield;
  }
  for (const language of LANGUAGES) {
    const names = displayNames(language);
    for (const code of codes) {
      const name = toLatin(fold(names.of(code) ?? ''))
        .replace(/[^a-z]+/g, ' ')
        .trim();
      if (name.length > 3 && !found.has(name) && name.split(' ').length <= MAX_PLACE_WORDS) found.set(name, code);
      yield;
    }
  }
  for (const [code, names] of Object.entries(MORE)) for (const name of names) found.set(name, code);
  return { codes: found, firstWords: new Set(Array.from(found.keys(), (name) => name.split(' ', 1)[0] ?? '')) };
}

function displayNames(language: string): Intl.DisplayNames {
  return new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
}

function* regionCodes(): Iterable<string> {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  for (const first of letters) for (const second of letters) if (!UNUSED.test(first + second)) yield first + second;
}

/** The country that words starting here name, and how many words that takes. */
export function readPlace(
  words: readonly string[],
  start: number,
): { readonly code: string; readonly length: number } | undefined {
  while (countries === undefined) takeStep();
  if (!countries.firstWords.has(words[start] ?? '')) return undefined;
  for (let length = Math.min(MAX_PLACE_WORDS, words.length - start); length > 0; length--) {
    const code = countries.codes.get(
      length === 1 ? (words[start] ?? '') : words.slice(start, start + length).join(' '),
    );
    if (code !== undefined) return { code, length };
  }
  return undefined;
}
