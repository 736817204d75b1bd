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

/** A search has at most so many words. */
export const MAX_WORDS = 20;

/** The first of the names that has a word which the current name and the numbers lack. The country matters to `romanise`. */
export function findMatchedName(names: readonly string[], missing: readonly string[], country: string): string | null {
  const isFound = (name: string) => {
    const words = [fold(name), ...romanise(name, country)].flatMap(listWords);
    return words.some((word) => missing.some((one) => word.includes(one)));
  };
  return names.find(isFound) ?? null;
}

/** The further field of a hit of words, as JSON after a comma. */
export function writeMatchedName(name: string | null): string {
  return `,"matchedName":${JSON.stringify(name)}`;
}

/** The words of a company that are in no word list of its current name, each once. */
export interface AliasWords {
  /** Of the current name in Latin letters, in all systems of transcription. */
  readonly romanised: ReadonlySet<string>;
  /** Of former and other names, also in Latin letters, if they are not in `romanised`. */
  readonly former: ReadonlySet<string>;
}

export function listAliasWords(name: string, country: string, otherNames: readonly string[]): AliasWords {
  const own = new Set(listWords(fold(name)));
  const romanised = new Set(romanise(name, country).flatMap(listWords)).difference(own);
  const others = otherNames.flatMap((other) => [fold(other), ...romanise(other, country)].flatMap(listWords));
  return { romanised, former: new Set(others).difference(own).difference(romanised) };
}
