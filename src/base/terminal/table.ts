import { cutText } from '../../../clients/typescript/src/cli/text.ts';
import { formatCount } from '../format-count.ts';

export { cutText, renderColumns, wrapText } from '../../../clients/typescript/src/cli/text.ts';

/** How a table becomes narrower than its content. */
interface TableFit {
  /** The width to fit into. The default is the width of the terminal. */
  readonly width?: number;
  /** Columns that may be left out, in the order in which they are left out. */
  readonly omit?: readonly string[];
  /** Columns whose cells may be cut. */
  readonly cut?: readonly string[];
}

type Row = readonly (string | number)[];

const GAP = 2;
/** A column that is cut keeps this many characters. */
const MIN_CUT_WIDTH = 16;

/** Renders rows in aligned columns. Columns of numbers are right-aligned. Without `fit`, the table is as wide as its content. */
export function renderTable(header: readonly string[], rows: readonly Row[], fit?: TableFit): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const isNumeric = header.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  const natural = header.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)),
  );
  const widths = fit === undefined ? natural : fitWidths(header, natural, { width: findWidth(process.stdout), ...fit });
  const line = (row: readonly string[]) =>
    widths
      .flatMap((width, column) => {
        if (width === 0) return [];
        const text = cutText(row[column] ?? '', width);
        return [isNumeric[column] ? text.padStart(width) : text.padEnd(width)];
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  return `${[header, widths.map((width) => '─'.repeat(width)), ...cells].map(line).join('\n')}\n`;
}

/** The widths of the columns; 0 leaves a column out. Columns are omitted only if cutting is not enough. */
function fitWidths(
  header: readonly string[],
  natural: readonly number[],
  { width: limit, omit = [], cut = [] }: TableFit & { readonly width: number },
): number[] {
  const widths = [...natural];
  const cuttable = header.flatMap((title, column) => (cut.includes(title) ? column : []));
  const leastOf = (column: number) => Math.min(widths[column] ?? 0, MIN_CUT_WIDTH);
  const excess = () => widths.filter((width) => width > 0).reduce((sum, width) => sum + width + GAP, -GAP) - limit;
  const spare = () => cuttable.reduce((sum, column) => sum + (widths[column] ?? 0) - leastOf(column), 0);
  for (const title of omit) if (excess() > spare()) widths[header.indexOf(title)] = 0;
  for (let left = excess(); left > 0 && spare() > 0; left--) {
    const widest = cuttable.reduce((best, column) => ((widths[column] ?? 0) > (widths[best] ?? 0) ? column : best));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
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
