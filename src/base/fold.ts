/**
 * Folds text for comparison, everywhere in the same way: NFKD, combining marks and invisible characters removed, lower case, letters that NFKD does
 * not decompose replaced, one kind of apostrophe, quotation mark and dash, white space collapsed. Folding a folded text changes nothing.
 */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  // Other ASCII text needs only lower case, collapsed white space and an apostrophe for the grave accent.
  if (ASCII.test(text)) return collapse(text.toLowerCase().replaceAll('`', "'"));
  return foldByTable(text) ?? foldAny(text);
}

function foldAny(text: string): string {
  const bare = text
    .replace(ACUTE, "'")
    .replace(DOUBLE_PRIME, '"')
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase();
  if (PLAIN.test(bare)) return bare;
  const plain = bare.replace(LETTERS, (letter) => REPLACEMENTS[letter] ?? letter);
  return collapse(plain.replace(APOSTROPHES, "'").replace(QUOTES, '"').replace(DASHES, '-'));
}

/** Matches most names and numbers: printable ASCII without a grave accent, with single spaces inside. */
const PLAIN = /^[!-_a-~]+(?: [!-_a-~]+)*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is intended
const ASCII = /^[\x00-\x7f]*$/;
/** Combining marks, and characters that are never displayed: soft hyphens, zero-width characters, text direction marks. */
const INVISIBLE = /[\p{M}\p{Default_Ignorable_Code_Point}]+/gu;
/** Replaced before NFKD, which would turn the acute accent into a space, and a double prime into two single primes. */
const ACUTE = /\u00b4/g;
const DOUBLE_PRIME = /[\u2033\u2036]/g;
/** The characters ` and ', and the curly, modifier, prime, Armenian, Hebrew, Saltillo and single angle forms. */
const APOSTROPHES = /[`\u02b9-\u02bd\u02c8\u2018-\u201b\u2032\u2035\u2039\u203a\u055a\u05f3\ua78c]/g;
const QUOTES = /[\u00ab\u00bb\u201c-\u201f\u05f4\u301d-\u301f]/g;
const DASHES = /[\p{Pd}\u2212\u2043]/gu;
const REPLACEMENTS: Readonly<Record<string, string>> = {
  ...{ ø: 'o', đ: 'd', ð: 'd', ł: 'l', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th' },
  ...{ ı: 'i', ħ: 'h', ŧ: 't', ŋ: 'n', ĸ: 'k', ſ: 's', ς: 'σ' },
};
const LETTERS = new RegExp(`[${Object.keys(REPLACEMENTS).join('')}]`, 'g');

/** Control characters are white space. So no character of a folded word sorts below the space between words, which the order of results needs. */
function collapse(text: string): string {
  return isCollapsed(text) ? text : text.replace(BLANKS, ' ').trim();
}

/** Whether every blank is a single space inside the text. This is true for most texts, and testing is much faster than replacing. */
function isCollapsed(text: string): boolean {
  return !UNUSUAL_BLANKS.test(text);
}

const UNUSUAL_BLANKS = /^ | $| {2}|[^\S ]|\p{Cc}/u;
const BLANKS = /[\s\p{Cc}]+/gu;

const SPACE = 32;
/** An entry of `table` for a character that is not folded to a single character, or is unusual white space. */
const NONE = 0xffff;
/** The character that replaces each character; 0 if that is not known yet. The folding of these characters does not depend on their neighbours. */
const table = new Uint16Array(0x2100);
const [narrow, wide] = [Buffer.alloc(512), Buffer.alloc(1024)];

/** Folds usual names in other alphabets in a third of the time. Returns null if the text contains anything unusual. */
function foldByTable(text: string): string | null {
  if (text.length > narrow.length) return null;
  let last = SPACE;
  let all = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const folded = code < table.length ? table[code] || learn(code) : NONE;
    if (folded === NONE || (folded === SPACE && last === SPACE)) return null;
    narrow[at] = wide[2 * at] = folded;
    wide[2 * at + 1] = folded >> 8;
    last = folded;
    all |= folded;
  }
  if (last === SPACE) return null;
  return all < 256 ? narrow.toString('latin1', 0, text.length) : wide.toString('utf16le', 0, 2 * text.length);
}

function learn(code: number): number {
  const folded = code === SPACE ? ' ' : foldAny(String.fromCharCode(code));
  table[code] = folded.length === 1 ? folded.charCodeAt(0) : NONE;
  return table[code];
}
