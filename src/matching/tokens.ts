import { fold } from '../core/fold.ts';

/** Characters and words of a name that are considered, so that hostile names cost no more than long ones. */
const MAX_CHARACTERS = 300;
export const MAX_WORDS = 20;

/** The text that is compared: shortened, with glued forms separated (`SiemensAG`), folded. */
export function prepare(text: string): string {
  const start = text.slice(0, MAX_CHARACTERS);
  return fold(LOWER_CASE.test(start) ? start.replace(GLUED_FORM, '$1 $2') : start);
}

const LOWER_CASE = /\p{Ll}/u;
const GLUED_FORM = /(\p{Ll})(AG|GmbH|PLC|LLC|LTD|Ltd|INC|Inc|BV|NV|SA|AB|AS|SRL|SARL)(?![\p{L}\p{N}])/gu;

/**
 * The words of folded text. Initials are joined (`a.b.c.`, `a b c`, `h & m`), apostrophes dropped (`poor's`), and words for "and" left out
 * between others.
 */
export function splitWords(folded: string): string[] {
  const all = PLAIN.test(folded) ? folded.split(' ') : divide(folded);
  const words: string[] = [];
  let letters = '';
  for (let at = 0; at < all.length && words.length < MAX_WORDS; at++) {
    const word = all[at] as string;
    if (isConjunction(word, all[at - 1], all[at + 1])) continue;
    if (isLetter(word)) {
      letters += word;
      continue;
    }
    if (letters !== '') words.push(letters);
    letters = '';
    words.push(word);
  }
  if (letters !== '') words.push(letters);
  return words.slice(0, MAX_WORDS);
}

/** Words of unaccented letters and digits with single spaces between them, as most names are. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

function divide(folded: string): readonly string[] {
  return folded.replace(APOSTROPHE, '').replace(INITIALS, joinLetters).match(WORD) ?? [];
}

const APOSTROPHE = /['"]/g;
/** Single letters with dots, hyphens or slashes between them. */
const INITIALS = /(?<![\p{L}\p{N}])\p{L}(?:[.]\s?|[/-])(?:\p{L}(?:[.]\s?|[/-]))*\p{L}?(?![\p{L}\p{N}])/gu;
const WORD = /[\p{L}\p{N}]+|[&+]/gu;
const LETTER = /^\p{L}$/u;

function joinLetters(found: string): string {
  return ` ${found.replace(NOT_LETTERS, '')} `;
}

const NOT_LETTERS = /[^\p{L}]+/gu;

function isLetter(word: string): boolean {
  return word.length === 1 && LETTER.test(word);
}

function isConjunction(word: string, before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return CONJUNCTIONS.has(word) || (SHORT_FOR_AND.has(word) && before.length > 2 && after.length > 2);
}

const CONJUNCTIONS = new Set(['&', '+', 'and', 'und', 'et', 'och', 'og', 'та', 'και']);
/** Short words for "and" that are also initials or parts of names: only between longer words. */
const SHORT_FOR_AND = new Set('y e и і ja ir un si'.split(' '));
