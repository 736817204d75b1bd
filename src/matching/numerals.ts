/**
 * Numbers in names, in one notation: `2`, `II`, `2nd`, `second` and `two` are all `2`, so that companies of a series are never confused
 * and the same company is found in each spelling.
 */
export function readNumber(word: string, isLast: boolean): string | undefined {
  if (DIGITS.test(word)) return stripZeros(/^\d+/.exec(word)?.[0] ?? word);
  const spelled = SPELLED.get(word);
  if (spelled !== undefined) return String(spelled);
  // A single letter is a number only at the end: `Fund I`.
  if (ROMAN.test(word) && (word.length > 1 || isLast)) return readRoman(word);
  return undefined;
}

/** Joins `forty four` in a list of words that have been read. */
export function isTens(number: string | undefined): boolean {
  return number !== undefined && /^[2-9]0$/.test(number);
}

const DIGITS = /^\d{1,20}(?:st|nd|rd|th|er|ere|e|eme|ste|de|a|o|os|y|ta)?$/;
const ROMAN = /^(?=[ivx])x{0,3}(?:ix|iv|v?i{0,3})$/;
const VALUES: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 };

function stripZeros(digits: string): string {
  return digits.replace(/^0+(?=\d)/, '');
}

function readRoman(word: string): string {
  let sum = 0;
  for (let at = 0; at < word.length; at++) {
    const value = VALUES[word[at] ?? ''] ?? 0;
    sum += value < (VALUES[word[at + 1] ?? ''] ?? 0) ? -value : value;
  }
  return String(sum);
}

const SPELLED = new Map<string, number>();
function spell(start: number, step: number, words: string): void {
  for (const [at, word] of words.split(' ').entries())
    for (const one of word.split('/')) SPELLED.set(one, start + at * step);
}
spell(
  1,
  1,
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
);
spell(20, 10, 'twenty thirty forty/fourty fifty sixty seventy eighty ninety hundred');
spell(1, 1, 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth');
spell(1, 1, 'erste/erster/erstes zweite/zweiter/zweites dritte/dritter vierte/vierter funfte/funfter');
spell(1, 1, 'premier/premiere deuxieme troisieme quatrieme cinquieme');
spell(
  1,
  1,
  'primero/primera/primeiro/primeira segundo/segunda tercero/tercera/terceiro cuarto/cuarta/quarto quinto/quinta',
);
spell(1, 1, 'pervyi/pervaya/pervoe/persha/pershyi vtoroi/vtoraya/druha/druhyi tretii/tretya/tretia');
