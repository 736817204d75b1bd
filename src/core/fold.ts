/**
 * Folds text for comparison, everywhere in the same way: NFKD, combining marks removed, lower case, letters that NFKD
 * does not decompose replaced, white space collapsed. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  // Most names are plain ASCII, which needs only lower case and white space.
  if (ASCII.test(text)) return collapse(text.toLowerCase());
  const bare = text.normalize('NFKD').replace(MARKS, '').toLowerCase();
  return collapse(bare.replace(LETTERS, (letter) => REPLACEMENTS[letter] ?? letter));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is intended
const ASCII = /^[\x00-\x7f]*$/;
const MARKS = /\p{M}+/gu;
const REPLACEMENTS: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ſ: 's',
  ς: 'σ',
};
const LETTERS = new RegExp(`[${Object.keys(REPLACEMENTS).join('')}]`, 'g');

/**
 * Control characters count as white space: they are invisible and cannot be typed. It also means that no character of a
 * folded word sorts below the space between words, which the order of search results relies on.
 */
function collapse(text: string): string {
  return text.replace(BLANKS, ' ').trim();
}

const BLANKS = /[\s\p{Cc}]+/gu;
