export { cutText, wrapText } from '../../clients/typescript/src/cli/text.ts';

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
