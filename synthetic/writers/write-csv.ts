import type { Encoding } from '../../src/base/source-files.ts';
import type { SyntheticCsv } from '../file.ts';

/** Bytes are yielded in chunks of about this many characters. */
const CHUNK = 65_536;

/** Encodes a CSV file, header first if it has one. Throws on a cell that the dialect cannot represent. */
export function* encodeCsv(csv: SyntheticCsv): Generator<Buffer> {
  const encode = makeEncoder(csv.dialect.encoding);
  const writeRow = makeRowWriter(csv);
  let text = (csv.bom ? '\ufeff' : '') + (csv.header.length > 0 ? writeRow(csv.header) : '');
  for (const row of csv.rows) {
    text += writeRow(row);
    if (text.length < CHUNK) continue;
    yield encode(text);
    text = '';
  }
  yield encode(text);
}

/** Quoting `text` leaves these cells unquoted: dates and empty cells. */
const UNQUOTED = /^(\d{2}-\d{2}-\d{4})?$/;

function makeRowWriter({ dialect, quoting, lineEnd }: SyntheticCsv): (cells: readonly string[]) => string {
  const { widths } = dialect;
  if (widths !== undefined) return (cells) => cells.map((cell, at) => fill(cell, widths[at] ?? 0)).join('') + lineEnd;
  const { delimiter, quote } = dialect;
  // U+FEFF at the start of the file would be read as a byte order mark, so a cell that has it is quoted.
  const special = new RegExp(`[\r\n\ufeff${quote ?? ''}${delimiter.replace(/[\\\]^-]/, '\\$&')}]`);
  const writeCell = (cell: string): string => {
    if (quote === null) {
      if (special.test(cell)) throw new Error(`this cell cannot be written without quoting: ${JSON.stringify(cell)}`);
      return cell;
    }
    const isQuoted = quoting === 'all' || (quoting === 'text' && !UNQUOTED.test(cell));
    return isQuoted || special.test(cell) ? quote + cell.replaceAll(quote, quote + quote) + quote : cell;
  };
  return (cells) => {
    const line = cells.map(writeCell).join(delimiter);
    if (line !== '') return line + lineEnd;
    if (quote === null || cells.length === 0) throw new Error('an empty row would be a blank line, which readers skip');
    return quote + quote + lineEnd;
  };
}

function fill(cell: string, width: number): string {
  if (cell.length > width) throw new Error(`this cell has more than ${width} characters: ${JSON.stringify(cell)}`);
  return cell.padEnd(width);
}

export function makeEncoder(encoding: Encoding): (text: string) => Buffer {
  if (encoding === 'utf-8') return (text) => Buffer.from(text, 'utf8');
  if (encoding === 'utf-16le') return (text) => Buffer.from(text, 'utf16le');
  const bytes = readCodePage(encoding);
  return (text) =>
    Buffer.from(
      Array.from(text, (character) => {
        const byte = bytes.get(character);
        if (byte === undefined) throw new Error(`${encoding} has no ${JSON.stringify(character)}`);
        return byte;
      }),
    );
}

/** Node has no encoder for code pages, so this inverts the decoder. */
function readCodePage(encoding: Encoding): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(encoding);
  const bytes = Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const);
  return new Map(bytes.filter(([character]) => character !== '\ufffd'));
}
