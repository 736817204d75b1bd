/**
 * Makes text from a file safe to print on a terminal: an escape sequence in a column name must not move the cursor, or
 * hide or forge a line. Invisible characters are written as their code points.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
