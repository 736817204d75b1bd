/** The first and last characters of words. A character is a code point, which takes up to two units of a string. */

export function firstCharacters(text: string): string {
  return [...text.slice(0, 4)].slice(0, 2).join('');
}

export function lastCharacters(text: string): string {
  return [...text.slice(-4)].slice(-2).join('');
}

export function countCharacters(text: string): number {
  return [...text].length;
}

export function reverse(text: string): string {
  return [...text].reverse().join('');
}
