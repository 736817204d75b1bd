/**
 * Text out of a file as it may be shown on a terminal: an escape sequence in a column name must not move the cursor,
 * hide a line or forge one. What cannot be seen is written as its code point.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
