/**
 * Makes text of a register safe to print on a terminal: an escape sequence in a name must not move the cursor, or hide or forge a line.
 * Invisible characters are written as their code points, and a stack of combining marks, which would cover other lines, is cut.
 */
export function printable(text: string): string {
  return text
    .replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/(\p{M}{3})\p{M}+/gu, '$1…');
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The same value as JSON. `JSON.stringify` escapes only some of the characters that control a terminal. */
export function printableJson(value: unknown, indent?: number): string {
  const lines = JSON.stringify(value, null, indent).split('\n');
  return `${lines.map((line) => line.replace(INVISIBLE, escapeUnits)).join('\n')}\n`;
}

function escapeUnits(character: string): string {
  return character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;

function measureCharacter(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** How many columns of a terminal printable text takes. */
export function measure(text: string): number {
  // Most text is ASCII.
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += measureCharacter(character);
  return width;
}

/** Shortens text to `width` columns, the last of which is then "…". */
export function cutText(text: string, width: number): string {
  if (measure(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const character of text) {
    left -= measureCharacter(character);
    if (left < 0) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}

/** Breaks text into lines between words. A word that is longer than a line keeps its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    if (line !== '' && measure(line) + 1 + measure(word) > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Names with their descriptions beside them, or below them if the names leave less than half of the width. */
export function renderColumns(rows: readonly (readonly [name: string, text: string])[], width: number): string {
  const first = Math.max(...rows.map(([name]) => measure(name)));
  const isBeside = first + 4 <= width / 2;
  const indent = ' '.repeat(isBeside ? first + 4 : 6);
  return rows
    .map(([name, text]) => {
      const lines = wrapText(text, Math.max(20, width - indent.length)).join(`\n${indent}`);
      const padding = isBeside ? ' '.repeat(first - measure(name) + 2) : `\n${indent}`;
      return `  ${name}${padding}${lines}`.trimEnd();
    })
    .join('\n');
}

/** The name that was probably meant: the one that differs least, in at most a third of its letters. */
export function findNearest(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, edits: countEdits(typed, name) }))
    .filter(({ name, edits }) => edits <= name.length / 3);
  return near.sort((a, b) => a.edits - b.edits)[0]?.name;
}

/** How many letters have to be inserted, removed or replaced. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [done, letter] of Array.from(a).entries()) {
    const next = [done + 1];
    for (let at = 0; at < b.length; at++) {
      const replaced = (row[at] ?? 0) + (b[at] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
