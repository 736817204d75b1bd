import { columnNames, type IndexArrays, type SearchIndex } from '../search-index.ts';

/**
 * Writes summaries of documents straight from the columns into JSON bytes. What repeats (a status, a date, the names of the
 * fields) is encoded once; a name is copied as it lies in the index.
 */
export interface PageWriter {
  /** `{"data":[…],"meta":…}`. */
  write(docs: Uint32Array, meta: string): Uint8Array;
}

export function createPageWriter({ arrays, texts }: SearchIndex): PageWriter {
  const { ids, nameText, nameStarts } = arrays;
  const { country, status, legalForm, registeredAt, updatedAt } = texts.columns;
  // Everything before a value goes with it, and what closes the item goes with the last.
  const open = encode('{"id":"');
  const countries = encodeOnce(country, (value) => `","countryCode":${value},"canonicalName":"`);
  const statuses = encodeOnce(status, (value) => `","status":${value}`);
  const legalForms = encodeOnce(legalForm, (value) => `,"legalForm":${value}`);
  const registeredAts = encodeOnce(registeredAt, (value) => `,"registeredAt":${value}`);
  const updatedAts = encodeOnce(
    updatedAt,
    (value) => `,"updatedAt":"${new Date(Number(JSON.parse(value))).toISOString()}"},`,
  );
  const begin = encode('{"data":[');
  const longest = columnNames.reduce((sum, name) => sum + longestText(texts.columns[name]), OVERHEAD);

  return {
    write(docs, meta) {
      let room = docs.length * longest + begin.length + meta.length + 16;
      for (const doc of docs) room += (nameStarts[doc + 1] as number) - (nameStarts[doc] as number);
      const bytes = Buffer.allocUnsafe(room);
      let end = copy(begin, 0, begin.length, bytes, 0);
      for (const doc of docs) {
        end = copy(open, 0, open.length, bytes, end);
        end = writeId(ids, doc * 16, bytes, end);
        end = copyValue(countries, arrays.country, doc, bytes, end);
        end = copy(nameText, nameStarts[doc] as number, nameStarts[doc + 1] as number, bytes, end);
        end = copyValue(statuses, arrays.status, doc, bytes, end);
        end = copyValue(legalForms, arrays.legalForm, doc, bytes, end);
        end = copyValue(registeredAts, arrays.registeredAt, doc, bytes, end);
        end = copyValue(updatedAts, arrays.updatedAt, doc, bytes, end);
      }
      // No comma after the last item.
      if (docs.length > 0) end--;
      end += bytes.write(`],"meta":${meta}}`, end, 'latin1');
      return bytes.subarray(0, end);
    },
  };
}

/** Bytes of an item besides its values. */
const OVERHEAD = 200;

function longestText(values: readonly (string | null)[]): number {
  return values.reduce((most, value) => Math.max(most, Buffer.byteLength(JSON.stringify(value))), 0);
}

function encode(text: string): Uint8Array {
  return Buffer.from(text);
}

function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let place = at;
  for (let index = start; index < end; index++) to[place++] = from[index] as number;
  return place;
}

/** Texts by the number of a value, encoded when they are first written: there may be tens of thousands of dates. */
function encodeOnce(
  values: readonly (string | null)[],
  render: (json: string) => string,
): (value: number) => Uint8Array {
  const encoded: Uint8Array[] = [];
  return (value) => {
    encoded[value] ??= encode(render(JSON.stringify(values[value])));
    return encoded[value];
  };
}

function copyValue(
  textOf: (value: number) => Uint8Array,
  column: IndexArrays['country'],
  doc: number,
  to: Uint8Array,
  at: number,
): number {
  const text = textOf(column[doc] as number);
  return copy(text, 0, text.length, to, at);
}

const DIGITS = encode('0123456789abcdef');
const DASH = 0x2d;

function writeId(ids: Uint8Array, start: number, to: Uint8Array, at: number): number {
  let place = at;
  for (let byte = 0; byte < 16; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) to[place++] = DASH;
    const value = ids[start + byte] as number;
    to[place++] = DIGITS[value >>> 4] as number;
    to[place++] = DIGITS[value & 15] as number;
  }
  return place;
}
