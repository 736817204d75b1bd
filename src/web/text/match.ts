import { fold } from '../../core/fold.ts';
import { readNumberFragment, removeSeparators } from '../../core/search-keys.ts';
import { type Html, html } from '../html.ts';
import { showInvisible, showText } from './display-text.ts';

/** Shows a name and marks what the search text found in it, compared as the search compares them. */
export function showNameMatch(name: string, q: string): Html {
  return showParts(
    name,
    findFolded(name, fold(q), (character) => character),
  );
}

/** The same for a registration number, in which the search ignores separators. */
export function showNumberMatch(number: string, q: string): Html {
  const { text, asWritten } = readNumberFragment(fold(q));
  if (asWritten) return showNameMatch(number, q);
  const bare = removeSeparators(fold(number));
  // A VAT number contains the national number.
  const fragment = text.length > bare.length && bare.length >= MIN_WHOLE_LENGTH && text.includes(bare) ? bare : text;
  return showParts(number, findFolded(number, fragment, removeSeparators));
}

const MIN_WHOLE_LENGTH = 5;

/** A part of the text, in UTF-16 code units; without `to`. */
type Span = readonly [from: number, to: number];

function showParts(text: string, parts: readonly Span[]): Html {
  if (parts.length === 0) return showText(text);
  let at = 0;
  const shown = parts.map(([from, to]) => {
    const before = text.slice(at, from);
    at = to;
    return html`${showInvisible(before)}<mark>${showInvisible(text.slice(from, to))}</mark>`;
  });
  return html`<bdi>${shown}${showInvisible(text.slice(at))}</bdi>`;
}

/**
 * Finds the folded fragment in the text. Folding can change the number of characters, so each character is folded by itself, and
 * the place in the text that each folded character comes from is kept. If that gives another text than folding the whole, nothing is
 * found: a missing mark is better than a wrong one.
 */
function findFolded(text: string, fragment: string, adapt: (folded: string) => string): Span[] {
  if (fragment === '' || text.length > MAX_LENGTH) return [];
  let folded = '';
  const places: Span[] = [];
  let at = 0;
  for (const character of text) {
    const place: Span = [at, at + character.length];
    at += character.length;
    // Between two letters, because folding removes white space at the ends.
    const one = fold(`x${character}x`).slice(1, -1);
    const added = adapt(one === ' ' && (folded === '' || folded.endsWith(' ')) ? '' : one);
    for (let index = 0; index < added.length; index++) places.push(place);
    folded += added;
  }
  if (folded.trimEnd() !== adapt(fold(text))) return [];
  const found: Span[] = [];
  for (let from = folded.indexOf(fragment); from !== -1; from = folded.indexOf(fragment, from + fragment.length)) {
    const [first, last] = [places[from], places[from + fragment.length - 1]];
    // One character can contain the fragment twice, as ⑾ contains 1.
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
