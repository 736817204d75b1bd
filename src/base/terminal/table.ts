import {
  cutText,
  printable,
  renderColumns,
  printableJson as renderJson,
  wrapText,
} from '../../../clients/typescript/src/cli/text.ts';
import { formatCount } from '../format-count.ts';

/** `printable` makes text of a register safe to print. Shared with the client's command line, which prints the same companies. */
export { cutText, printable, renderColumns, wrapText };

export function printableJson(value: unknown): string {
  return renderJson(value, 2);
}

export function print(text: string): void {
  process.stdout.write(text);
}

type Row = readonly (string | number)[];

const GAP = '  ';

interface TableFit {
  /** Columns that are left out, in this order, until the table is narrow enough. */
  readonly omit: readonly string[];
  readonly width?: number;
}

/** Renders rows in aligned columns. Columns of numbers are right-aligned. Without `fit`, the table is as wide as its content. */
export function renderTable(header: readonly string[], rows: readonly Row[], fit?: TableFit): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  let columns = header.map((title, index) => ({
    title,
    index,
    width: Math.max(title.length, ...cells.map((row) => (row[index] ?? '').length)),
    isNumeric: rows.length > 0 && rows.every((row) => typeof row[index] === 'number'),
  }));
  const { omit = [], width: limit = findWidth(process.stdout) } = fit ?? {};
  for (const omitted of omit) {
    const width = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length);
    if (width > limit) columns = columns.filter(({ title }) => title !== omitted);
  }
  const line = (row: readonly string[]) =>
    columns
      .map(({ index, width, isNumeric }) => {
        const text = row[index] ?? '';
        return isNumeric ? text.padStart(width) : text.padEnd(width);
      })
      .join(GAP)
      .trimEnd();
  const rule = columns.map(({ width }) => '─'.repeat(width)).join(GAP);
  return `${[line(header), rule, ...cells.map(line)].join('\n')}\n`;
}

/** Longer lines are hard to read. */
const MAX_TEXT_WIDTH = 100;

/** The width of a table outside a terminal: people read tables in files and logs too. Programs read JSON. */
const WIDTH_OF_FILES = 120;

function findWidth(stream: NodeJS.WriteStream): number {
  // A terminal whose size is unknown reports 0 columns.
  return stream.isTTY && stream.columns > 0 ? stream.columns : WIDTH_OF_FILES;
}

export function findTextWidth(stream: NodeJS.WriteStream): number {
  return Math.min(MAX_TEXT_WIDTH, findWidth(stream));
}
