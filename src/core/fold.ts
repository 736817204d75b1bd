/**
 * How text is compared, everywhere: NFKD, marks stripped, lower case, the letters NFKD leaves alone, white space
 * collapsed. Folding twice changes nothing.
 */
export function fold(text: string): string {
  // Most names are plain ASCII, for which all that is left is lower case and white space.
  if (PLAIN.test(text)) return collapse(text.toLowerCase());
  const bare = text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(LETTERS, (letter) => ALIKE[letter] ?? letter);
  return collapse(bare.normalize('NFKD').replace(MARKS, ''));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole of ASCII is meant
const PLAIN = /^[\x00-\x7f]*$/;
const MARKS = /\p{M}+/gu;
const ALIKE: Readonly<Record<string, string>> = {
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
const LETTERS = new RegExp(`[${Object.keys(ALIKE).join('')}]`, 'g');

/** Control characters count as white space: nobody can see or type them, and nothing then sorts below a space. */
function collapse(text: string): string {
  return text.replace(BLANKS, ' ').trim();
}

const BLANKS = /[\s\p{Cc}]+/gu;
