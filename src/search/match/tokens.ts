import { fold } from '../../base/fold.ts';

/** The maximum number of characters and words of a name that are compared, so that hostile names have a bounded cost. */
const MAX_CHARACTERS = 300;
export const MAX_WORDS = 20;

/** The text to compare: truncated, with glued forms separated (`SiemensAG`, `丸井株式会社`), folded. */
export function prepare(text: string): string {
  const cut = text.slice(0, MAX_CHARACTERS);
  const start = OGONEK.test(cut) ? cut.replace(MARKED_FORM, ' individuali imone ') : cut;
  const folded = fold(LOWER_CASE.test(start) ? start.replace(GLUED_FORM, '$1 $2') : start);
  return EAST_ASIAN.test(folded)
    ? folded.replace(SHORT_SUFFIX, (found) => SHORT_SUFFIXES.get(found) ?? found).replace(GLUED_SUFFIX, ' $& ')
    : folded;
}

/** The letter in the legal form `IĮ`, which without its mark would be the number II. */
const OGONEK = /[Įį]/;
const MARKED_FORM = /(?<![\p{L}\p{N}])I\.?\s?Į\.?(?![\p{L}\p{N}])/giu;

const LOWER_CASE = /\p{Ll}/u;
const GLUED_FORM = /(\p{Ll})(AG|GmbH|PLC|LLC|LTD|Ltd|INC|Inc|BV|NV|SA|AB|AS|SRL|SARL)(?![\p{L}\p{N}])/gu;

/** Chinese, Japanese and Korean names have no space before or after the form. Folding divides Korean syllables into letters. */
const EAST_ASIAN = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]/;
const SHORT_SUFFIXES = new Map(
  ['(株) 株式会社', '(有) 有限会社', '(주) 주식회사', '(유) 유한회사'].map(
    (pair) => fold(pair).split(' ') as [string, string],
  ),
);
const SHORT_SUFFIX = /\(.{1,3}\)/gu;
/** Longer forms precede the forms that they contain. */
const eastAsianForms = '股份有限公司 有限责任公司 有限責任公司 有限公司 株式会社 有限会社 合同会社 주식회사 유한회사'
  .split(' ')
  .map(fold);
const GLUED_SUFFIX = new RegExp(eastAsianForms.join('|'), 'g');

/** The name with each form glued to it, because the index does not separate forms. */
export function* glueForms(word: string): Iterable<string> {
  if (EAST_ASIAN.test(word)) for (const form of eastAsianForms) yield* [word + form, form + word];
}

/**
 * The words of a folded text. Initials are joined (`a.b.c.`, `a b c`, `h & m`), apostrophes are dropped (`poor's`), and words for "and" are
 * left out between other words.
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

/** Matches words of unaccented letters and digits with single spaces between the words: most names. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

function divide(folded: string): readonly string[] {
  return folded.replace(ELIDED, '').replace(APOSTROPHE, '').replace(INITIALS, joinLetters).match(WORD) ?? [];
}

/** Matches the `d'` of `Université d'Ottawa`, but not in the first word, which may be a proper name such as `L'Oréal`. */
const ELIDED = /(?<=\s)[dl]'(?=\p{L}{4})/gu;
const APOSTROPHE = /['"]/g;
/** Matches single letters with dots, hyphens or slashes between the letters. */
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

/** Words that have no letter in an acronym: the acronym of `Société Minière du Delta` is `SMD`. */
export const SMALL_WORDS = new Set(
  'of and & the for in on at to by de du des la le les et en del los las el y e da do das dos di della der die das und fur von og och av for i na za po v u'.split(
    ' ',
  ),
);

const CONJUNCTIONS = new Set(['&', '+', 'and', 'und', 'et', 'och', 'og', 'та', 'και']);
/** Short words for "and" that are also initials or parts of names. They count as "and" only between longer words. */
const SHORT_FOR_AND = new Set('y e и і ja ir un si'.split(' '));
