import type { Encoding, SyntheticCsv } from '../core/source-files.ts';

/** Bytes are given out in pieces of about this many characters. */
const PIECE = 65_536;

/** The bytes of a CSV, header first if there is one. Throws on a cell that the dialect cannot hold. */
export function* encodeCsv(csv: SyntheticCsv): Generator<Buffer> {
  const encode = makeEncoder(csv.dialect.encoding);
  const writeRow = makeRowWriter(csv);
  let text = (csv.bom ? '\ufeff' : '') + (csv.header.length > 0 ? writeRow(csv.header) : '');
  for (const row of csv.rows) {
    text += writeRow(row);
    if (text.length < PIECE) continue;
    yield encode(text);
    text = '';
  }
  yield encode(text);
}

/** What `text` quoting leaves bare: dates and nothing. */
const BARE = /^(\d{2}-\d{2}-\d{4})?$/;

function makeRowWriter({ dialect, quoting, lineEnd }: SyntheticCsv): (cells: readonly string[]) => string {
  const { delimiter, quote } = dialect;
  // A byte order mark as the first character of the file would be taken for one.
  const special = new RegExp(`[\r\n\ufeff${quote ?? ''}${delimiter.replace(/[\\\]^-]/, '\\$&')}]`);
  const writeCell = (cell: string): string => {
    if (quote === null) {
      if (special.test(cell)) throw new Error(`without quoting this cell cannot be written: ${JSON.stringify(cell)}`);
      return cell;
    }
    const isQuoted = quoting === 'all' || (quoting === 'text' && !BARE.test(cell));
    return isQuoted || special.test(cell) ? quote + cell.replaceAll(quote, quote + quote) + quote : cell;
  };
  return (cells) => {
    const line = cells.map(writeCell).join(delimiter);
    if (line !== '') return line + lineEnd;
    if (quote === null || cells.length === 0) throw new Error('an empty row would be a blank line, which readers skip');
    return quote + quote + lineEnd;
  };
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

/** The decoder knows the code page: the encoder is its inverse. */
function readCodePage(encoding: Encoding): ReadonlyMap<string, number> {
  const decoder = new TextDecoder(encoding);
  const bytes = Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const);
  return new Map(bytes.filter(([character]) => character !== '\ufffd'));
}
