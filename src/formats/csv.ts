import { formatCount } from '../base/format-count.ts';
import type { CsvDialect } from '../base/source-files.ts';
import { cutAfter, decodeText } from './decode.ts';
import { MAX_ROW_LENGTH } from './limits.ts';
import { BATCH, type Batches, FormatError, RowScanner, type SourceRow, scanRows } from './rows.ts';

/**
 * Reads the rows of a CSV file (RFC 4180), each with the line it starts on and its cells exactly as written. Blank
 * lines are skipped. Inside a quoted cell, a quote that is neither doubled nor followed by a delimiter or line end is
 * part of the text, so a quote that the publisher forgot to double loses no row. Rows may have any number of cells: the
 * caller checks the count. `onOpenEnd` is called if the last row has no line end, which a truncated file lacks.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  dialect: CsvDialect,
  onOpenEnd?: OnOpenEnd,
): Batches<readonly string[]> {
  const cut = findCut(dialect);
  const onOpen: OnOpenEnd | undefined = cut && onOpenEnd ? (place, cells) => onOpenEnd(place, cut(cells)) : onOpenEnd;
  const scanner = new CsvScanner(dialect.quotesInside ? WHOLE_LINES : dialect, onOpen);
  const lines = dialect.encoding === 'utf-16le' ? bytes : cutAfter(bytes, LF, MAX_ROW_LENGTH);
  const rows = scanRows(decodeText(lines, dialect.encoding), scanner);
  if (cut === undefined) yield* rows;
  else for await (const batch of rows) yield batch.map((row) => ({ ...row, value: cut(row.value) }));
}

/** Returns a function that makes cells of a line that the scanner does not divide. */
function findCut({
  widths,
  quotesInside,
  delimiter,
}: CsvDialect): ((cells: readonly string[]) => string[]) | undefined {
  if (widths !== undefined) return (cells) => cutLine(cells, widths);
  return quotesInside && ((cells) => splitQuoted(cells.join(NUL), delimiter));
}

const NUL = '\0';
const WHOLE_LINES = { delimiter: NUL, quote: null } as const;

function splitQuoted(line: string, delimiter: string): string[] {
  const isQuoted = line.length > 1 && line.startsWith('"') && line.endsWith('"');
  return isQuoted ? line.slice(1, -1).split(`"${delimiter}"`) : line.split(delimiter);
}

/** Cuts a line into its columns. A line may lack blanks at its end; the rest of a line that is too long becomes one more cell. */
function cutLine(cells: readonly string[], widths: readonly number[]): string[] {
  const line = cells.length === 1 ? (cells[0] as string) : cells.join('\0');
  const cut: string[] = [];
  let at = 0;
  for (const width of widths) {
    const start = at;
    at += width;
    let end = Math.min(at, line.length);
    while (end > start && line.charCodeAt(end - 1) === BLANK) end--;
    cut.push(line.slice(start, end));
  }
  if (line.length > at) cut.push(line.slice(at));
  return cut;
}

const BLANK = 32;

type OnOpenEnd = (place: number, cells: readonly string[]) => void;

const LF = 10;
const CR = 13;
const NONE = -1;

/**
 * Holds the text that has not been split into rows yet. A row is complete only with its line end; a row cut by the end
 * of a chunk is read again from its start when the next chunk arrives. Scanning stops at the last line end of the text,
 * so the hot loops need no bounds check per character.
 */
class CsvScanner extends RowScanner<readonly string[]> {
  readonly #delimiter: number;
  readonly #quote: number;
  #line = 1;
  /** Whether the last row has no line end. */
  #isOpen = false;
  readonly #onOpenEnd: OnOpenEnd | undefined;
  /** The current row, copied out at its end. A new array that grows cell by cell measured 6 to 29 % slower. */
  readonly #cells: string[] = [];

  constructor(dialect: Pick<CsvDialect, 'delimiter' | 'quote'>, onOpenEnd: OnOpenEnd | undefined) {
    super();
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote === null ? NONE : dialect.quote.charCodeAt(0);
    this.#onOpenEnd = onOpenEnd;
  }

  /** A row is at most as long as a few chunks. */
  override get held(): number {
    return 0;
  }

  /** The last row may lack its line end. */
  override end(): void {
    this.#isOpen = this.at < this.text.length && !this.text.endsWith('\n');
    if (this.#isOpen) this.add('\n');
    super.end();
  }

  /** Returns up to one batch of rows, or none when more text is needed. */
  take(): SourceRow<readonly string[]>[] {
    const rows: SourceRow<readonly string[]>[] = [];
    const lastBreak = this.text.lastIndexOf('\n');
    while (rows.length < BATCH && this.at <= lastBreak) {
      const place = this.#line;
      const start = this.at;
      const cells = this.#takeRow(lastBreak);
      if (cells === null) break;
      const size = this.at - start;
      if (size > MAX_ROW_LENGTH) throw tooLong(place);
      if (cells.length > 0) rows.push({ place, value: cells, size });
      if (this.#isOpen && this.at === this.text.length) this.#onOpenEnd?.(place, cells);
    }
    // The row is incomplete. Without a bound, an unclosed quote would load the rest of the file into memory.
    if (rows.length === 0 && this.text.length - this.at > MAX_ROW_LENGTH) throw tooLong(this.#line);
    return rows;
  }

  /** Reads one row: empty for a blank line, null when it continues past the last line end of the text. */
  #takeRow(lastBreak: number): string[] | null {
    const text = this.text;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    const cells = this.#cells;
    let count = 0;
    let at = this.at;
    let line = this.#line;
    for (;;) {
      const start = at;
      let code = text.charCodeAt(at);
      if (code === quote) {
        const opened = line;
        let doubled = false;
        for (at += 1; ; at += 1) {
          code = text.charCodeAt(at);
          if (code === quote) {
            const next = text.charCodeAt(at + 1);
            if (next === quote) {
              doubled = true;
              at += 1;
            } else if (next === delimiter || next === LF || (next === CR && text.charCodeAt(at + 2) === LF)) break;
          } else if (code === LF) {
            if (at === lastBreak) return this.#waitForQuote(opened);
            line += 1;
          }
        }
        const cell = at === start + 1 ? '' : text.slice(start + 1, at);
        cells[count] = doubled ? unescapeQuotes(cell) : cell;
        count += 1;
        at += text.charCodeAt(at + 1) === CR ? 2 : 1;
        code = text.charCodeAt(at);
      } else {
        while (code !== delimiter && code !== LF) {
          at += 1;
          code = text.charCodeAt(at);
        }
        const end = code === LF && at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at;
        if (end > start || code === delimiter || count > 0) {
          cells[count] = text.slice(start, end);
          count += 1;
        }
      }
      at += 1;
      if (code === delimiter) continue;
      this.at = at;
      this.#line = line + 1;
      return cells.slice(0, count);
    }
  }

  #waitForQuote(opened: number): null {
    if (!this.ended && this.text.length - this.at <= MAX_ROW_LENGTH) return null;
    const where = this.ended ? 'before the end of the file' : `within ${formatCount(MAX_ROW_LENGTH)} characters`;
    throw new FormatError(
      `line ${opened}: a quote opened here is not closed ${where}: the file is truncated, or does not use quoting`,
    );
  }
}

/** `replaceAll` is the fastest for usual cells, but allocates 64 bytes for every match. */
function unescapeQuotes(cell: string): string {
  return cell.length < 10_000 ? cell.replaceAll('""', '"') : cell.split('""').join('"');
}

function tooLong(line: number): FormatError {
  const limit = formatCount(MAX_ROW_LENGTH);
  return new FormatError(
    `line ${line}: the row has more than ${limit} characters: this is not a CSV file, or it is damaged`,
  );
}
