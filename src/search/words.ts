import { fold } from '../base/fold.ts';
import { romanise } from '../base/romanise.ts';

/**
 * What a word is, for searches by words: a run of letters and digits in a folded text. Signs of ASCII divide words and are ignored; other
 * characters count as letters. So a word of `words` is inside a name if it is inside one of the words between the name's spaces.
 */
export function listWords(folded: string): readonly string[] {
  return folded.match(WORDS) ?? [];
}

const WORDS = /[a-z0-9\u0080-\u{10ffff}]+/gu;

/** A word with fewer characters is seldom meant to be a complete registration number. */
export const MIN_NUMBER = 5;

/** The maximum number of words of a search. */
export const MAX_WORDS = 20;

/** The first of the names that contains a word which the current name and the numbers lack. `romanise` needs the country. */
export function findMatchedName(names: readonly string[], missing: readonly string[], country: string): string | null {
  const isFound = (name: string) => {
    const words = [fold(name), ...romanise(name, country)].flatMap(listWords);
    return words.some((word) => missing.some((one) => word.includes(one)));
  };
  return names.find(isFound) ?? null;
}

/** Renders the field that only hits of a search by words have, as JSON after a comma. */
export function writeMatchedName(name: string | null): string {
  return `,"matchedName":${JSON.stringify(name)}`;
}

/** The distinct words of a company besides the words of its current name. */
export interface AliasWords {
  /** Words of the current name in Latin letters, in all systems of transcription. */
  readonly romanised: ReadonlySet<string>;
  /** Words of former and other names, also in Latin letters, without the words that are in `romanised`. */
  readonly former: ReadonlySet<string>;
}

export function listAliasWords(name: string, country: string, otherNames: readonly string[]): AliasWords {
  const own = new Set(listWords(fold(name)));
  const romanised = new Set(romanise(name, country).flatMap(listWords)).difference(own);
  const others = otherNames.flatMap((other) => [fold(other), ...romanise(other, country)].flatMap(listWords));
  return { romanised, former: new Set(others).difference(own).difference(romanised) };
}
