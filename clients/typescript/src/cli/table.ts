import type { Terminal } from './command.ts';
import { cutText, measure, printable } from './text.ts';

export interface Column {
  readonly title: string;
  /** Width in advance, for rows that are not known when the table starts. */
  readonly width?: number;
  /** Whether its cells may be cut. */
  readonly canCut?: boolean;
}

export interface Table {
  readonly header: string;
  renderRow(cells: readonly (string | null)[]): string;
}

const GAP = 2;
/** A column that is cut keeps this many characters. */
const MIN_CUT_WIDTH = 16;

/**
 * Lays out a table for its first rows; later rows are cut or, in a file, may be wider. On a terminal, columns are left out in the
 * order of `omit` until the rest fits.
 */
export function createTable(
  { width: limit, hasColour }: Pick<Terminal, 'width' | 'hasColour'>,
  columns: readonly Column[],
  rows: readonly (readonly (string | null)[])[],
  omit: readonly string[],
): Table {
  const widths = columns.map(({ title, width = 0 }, at) =>
    Math.max(width, measure(title), ...rows.map((row) => measure(printable(row[at] ?? '')))),
  );
  if (limit !== undefined) fit(columns, widths, limit, omit);

  const render = (cells: readonly (string | null)[]) =>
    widths
      .flatMap((width, at) => {
        if (width === 0) return [];
        const text = printable(cells[at] ?? '');
        const shown = limit === undefined ? text : cutText(text, width);
        return [shown + ' '.repeat(Math.max(0, width - measure(shown)))];
      })
      .join(' '.repeat(GAP))
      .trimEnd();

  const titles = render(columns.map(({ title }) => title));
  return {
    header: `${hasColour ? `\x1b[1m${titles}\x1b[0m` : titles}\n`,
    renderRow: (cells) => `${render(cells)}\n`,
  };
}

/** Changes the widths; 0 leaves a column out. */
function fit(columns: readonly Column[], widths: number[], limit: number, omit: readonly string[]): void {
  const shown = () => widths.filter((width) => width > 0);
  const excess = () => shown().reduce((sum, width) => sum + width + GAP, -GAP) - limit;
  const spareOf = (at: number) => (columns[at]?.canCut ? Math.max(0, (widths[at] ?? 0) - MIN_CUT_WIDTH) : 0);
  const spare = () => widths.reduce((sum, _, at) => sum + spareOf(at), 0);
  for (const title of omit) {
    if (excess() > spare()) widths[columns.findIndex((column) => column.title === title)] = 0;
  }
  for (let left = excess(); left > 0 && spare() > 0; left--) {
    const widest = widths.reduce((best, _, at) => (spareOf(at) > spareOf(best) ? at : best), 0);
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  // Less than that is left only if one column is.
  const [only] = shown();
  if (shown().length === 1 && only !== undefined && only > limit) widths[widths.indexOf(only)] = limit;
}
