import type { RowSource, Value } from './db.ts';

const CHUNK = 64 * 1024;

/** Rows in PostgreSQL's COPY text format, in chunks large enough to be worth a write. */
export async function* encodeCopy(rows: RowSource): AsyncGenerator<string> {
  let chunk = '';
  for await (const row of rows) {
    chunk += `${row.map(encodeValue).join('\t')}\n`;
    if (chunk.length >= CHUNK) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function encodeValue(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'string') return value.replace(SPECIAL, (character) => ESCAPES[character] ?? character);
  if (typeof value === 'number') return String(value);
  return `\\\\x${Buffer.from(value).toString('hex')}`;
}
