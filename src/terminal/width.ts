/** Longer lines are hard to read. */
const MAX_TEXT_WIDTH = 100;

/** The width of a terminal, or undefined for a file or a pipe, where lines may have any length. */
export function findWidth(stream: NodeJS.WriteStream): number | undefined {
  // A terminal that does not know its size says 0.
  return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
}

/** The width for help and other text. */
export function findTextWidth(stream: NodeJS.WriteStream): number {
  return Math.min(MAX_TEXT_WIDTH, findWidth(stream) ?? MAX_TEXT_WIDTH);
}

/** Breaks text into lines between words. A word that is longer than a line keeps its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.trim().split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Shortens text to `width` characters, the last of which is then "…". */
export function cutText(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`;
}
