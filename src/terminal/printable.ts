/**
 * Makes text from a file safe to print on a terminal: an escape sequence in a column name must not move the cursor, or
 * hide or forge a line. Invisible characters are written as their code points, and a stack of combining marks, which
 * would cover other lines, is cut after three.
 */
export function printable(text: string): string {
  return text
    .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/(\p{M}{3})\p{M}+/gu, '$1…');
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** JSON for a terminal or a file. JSON.stringify escapes only some of the characters that control a terminal. */
export function printableJson(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).split('\n');
  return `${lines.map((line) => line.replace(INVISIBLE, escapeUnits)).join('\n')}\n`;
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

export function print(text: string): void {
  process.stdout.write(text);
}
