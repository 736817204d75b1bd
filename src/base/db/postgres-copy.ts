import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { DumpedRows, Value } from './db.ts';

const CHUNK = 64 * 1024;

/** Encodes rows in PostgreSQL's COPY text format, in chunks large enough to be worth a write. */
export function* encodeCopy(rows: Iterable<readonly Value[]>): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    chunk += encodeRow(row);
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

/** Called for every row of an import: joining mapped values takes three times as long. */
function encodeRow(row: readonly Value[]): string {
  let text = encodeValue(row[0] as Value);
  for (let index = 1; index < row.length; index++) text += `\t${encodeValue(row[index] as Value)}`;
  return `${text}\n`;
}

const HAS_SPECIAL = /[\\\t\n\r]/;
const SPECIAL = new RegExp(HAS_SPECIAL, 'g');
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeValue(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return HAS_SPECIAL.test(value) ? escapeText(value) : value;
  if (typeof value === 'number') return String(value);
  return `\\\\x${Buffer.from(value).toString('hex')}`;
}

function escapeText(text: string): string {
  return text.replace(SPECIAL, (character) => ESCAPES[character] ?? character);
}

const [BACKSLASH, TAB, NEWLINE, CAPITAL_N, NULL] = [0x5c, 0x09, 0x0a, 0x4e, 0xff];
const UNESCAPED: Readonly<Record<number, number>> = { 98: 8, 102: 12, 110: 10, 114: 13, 116: 9, 118: 11 };

/** Decodes COPY's text format into the format of `Snapshot.dump`. In COPY's format, an unescaped line feed always ends a row. */
export async function* decodeCopy(chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size < CHUNK) continue;
    const bytes = Buffer.concat(parts);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    // Keep no view of the yielded buffer, not even an empty one: the receiver may transfer its memory to another
    // thread.
    parts = end < bytes.length ? [bytes.subarray(end)] : [];
    size = bytes.length - end;
    if (end > 0) yield decodeRows(bytes.subarray(0, end));
  }
  if (size > 0) yield decodeRows(Buffer.concat(parts));
}

/** Decodes in place, which is possible because no decoded value is longer than its encoded form. */
function decodeRows(bytes: Buffer): Uint8Array {
  let to = 0;
  for (let from = 0; from < bytes.length; from++) {
    let byte = bytes[from] as number;
    if (byte === TAB || byte === NEWLINE) byte = 0;
    else if (byte === BACKSLASH) {
      const escaped = bytes[++from] as number;
      byte = escaped === CAPITAL_N ? NULL : (UNESCAPED[escaped] ?? escaped);
    }
    bytes[to++] = byte;
  }
  return bytes.subarray(0, to);
}

/** The rows of a SELECT in the format of `Snapshot.dump`. COPY takes no parameters, so the values are part of its text. */
export async function* copyOut(client: pg.PoolClient, select: string, only?: DumpedRows): AsyncGenerator<Uint8Array> {
  const copy = (rows: string) => decodeCopy(client.query(copyTo(`COPY (${rows}) TO STDOUT`)));
  if (only === undefined) yield* copy(select);
  else {
    const { column, values } = only;
    for (let first = 0; first < values.length; first += COPIED_VALUES) {
      const listed = values.slice(first, first + COPIED_VALUES).map((value) => pg.escapeLiteral(value));
      yield* copy(`${select} WHERE ${column} IN (${listed.join(', ')})`);
    }
  }
}

/** The maximum number of values in the text of one statement. With ids as values, the text has 200 kB. */
const COPIED_VALUES = 5_000;

/** The rows of a SELECT in batches, from a cursor of the transaction. A connection can run one cursor at a time. */
export async function* fetchRows(
  client: pg.PoolClient,
  select: string,
  params: readonly Value[] = [],
): AsyncGenerator<Value[][]> {
  await client.query(`DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${select}`, [...params]);
  for (;;) {
    const { rows } = await client.query<Value[]>({ text: `FETCH ${FETCHED_ROWS} FROM ${CURSOR}`, rowMode: 'array' });
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query(`CLOSE ${CURSOR}`);
}

const CURSOR = 'streamed_rows';
const FETCHED_ROWS = 1_000;
