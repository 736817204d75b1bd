/** Text in boxes of a drawing. The width of letters is estimated: the server does not know the font. */

const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ilj.,:;'|!()[\]I]/, 0.3],
  [/[frt\s/-]/, 0.37],
  [/[mwMW@%&]/, 0.9],
  [/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Extended_Pictographic}/u, 1.05],
  [/\p{Lu}/u, 0.69],
  [/\p{M}/u, 0],
];

/** In units of the font size. */
export function estimateWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += WIDTHS.find(([pattern]) => pattern.test(letter))?.[1] ?? 0.57;
  return width;
}

/** The text in at most so many lines. What does not fit is replaced by an ellipsis. */
export function fitText(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '') {
    if (lines.length === maxLines - 1) return [...lines, cut(rest, width)];
    const line = takeWords(rest, width);
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

/** As many words as fit. A word that is longer than a line is broken. */
function takeWords(text: string, width: number): string {
  if (estimateWidth(text) <= width) return text;
  let taken = '';
  for (const word of text.split(/(?=\s)/)) {
    if (estimateWidth(taken + word) > width) break;
    taken += word;
  }
  return taken === '' ? takeLetters(text, width) : taken;
}

function cut(text: string, width: number): string {
  return estimateWidth(text) <= width ? text : `${takeLetters(text, width - 0.8).trimEnd()}…`;
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function takeLetters(text: string, width: number): string {
  let taken = '';
  for (const { segment } of letters.segment(text)) {
    if (taken !== '' && estimateWidth(taken + segment) > width) break;
    taken += segment;
  }
  return taken;
}
