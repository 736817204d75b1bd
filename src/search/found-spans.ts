import { fold } from '../base/fold.ts';
import { parseNumberFragment, removeSeparators } from '../base/search-keys.ts';

/** Finds the parts of a name or number that a search matched, so that pages can highlight them. Texts are compared as the search compares them. */

/** A part of the text, in UTF-16 code units; `to` is exclusive. */
export type Span = readonly [from: number, to: number];

export function findInName(name: string, texts: readonly string[]): Span[] {
  return joinSpans(texts.flatMap((text) => findFolded(name, fold(text), (character) => character)));
}

/** In registration numbers, the search ignores separators. */
export function findInNumber(number: string, texts: readonly string[]): Span[] {
  return joinSpans(texts.flatMap((text) => findFragment(number, text)));
}

/** Joins parts that overlap. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last === undefined || from >= last[1]) joined.push([from, to]);
    else last[1] = Math.max(last[1], to);
  }
  return joined;
}

function findFragment(number: string, wanted: string): Span[] {
  const { text, asWritten } = parseNumberFragment(fold(wanted));
  if (asWritten) return findFolded(number, fold(wanted), (character) => character);
  const bare = removeSeparators(fold(number));
  // A VAT number contains the national number.
  const fragment = text.length > bare.length && bare.length >= MIN_WHOLE_LENGTH && text.includes(bare) ? bare : text;
  return findFolded(number, fragment, removeSeparators);
}

const MIN_WHOLE_LENGTH = 5;

/**
 * Finds the folded fragment in the text. Folding can change the number of characters, so each character is folded by itself, and
 * the place in the text that each folded character comes from is kept. If the folded characters differ from the folded whole text,
 * nothing is found: a missing highlight is better than a wrong one.
 */
function findFolded(text: string, fragment: string, adapt: (folded: string) => string): Span[] {
  if (fragment === '' || text.length > MAX_LENGTH) return [];
  let folded = '';
  const places: Span[] = [];
  let at = 0;
  for (const character of text) {
    const place: Span = [at, at + character.length];
    at += character.length;
    // The character is folded between two letters, because folding removes white space at the ends.
    const one = fold(`x${character}x`).slice(1, -1);
    const added = adapt(one === ' ' && (folded === '' || folded.endsWith(' ')) ? '' : one);
    for (let index = 0; index < added.length; index++) places.push(place);
    folded += added;
  }
  if (folded.trimEnd() !== adapt(fold(text))) return [];
  const found: Span[] = [];
  for (let from = folded.indexOf(fragment); from !== -1; from = folded.indexOf(fragment, from + fragment.length)) {
    const [first, last] = [places[from], places[from + fragment.length - 1]];
    // One character can contain the fragment twice: ⑾ contains 1 twice.
    const isNew = first !== undefined && first[0] >= (found.at(-1)?.[1] ?? 0);
    if (isNew && last !== undefined) found.push([first[0], withMarks(text, last[1])]);
  }
  return found;
}

/** Names have at most a few hundred characters. */
const MAX_LENGTH = 2_000;

/** Combining marks belong to the letter before them. */
function withMarks(text: string, end: number): number {
  MARKS.lastIndex = end;
  return end + (MARKS.exec(text)?.[0].length ?? 0);
}

const MARKS = /\p{M}*/uy;
