import {
  type FewValuedName,
  type SummaryName,
  showValue,
  summaryFields,
  summaryNames,
  type TextName,
} from '../../../core/entity-summary.ts';
import { NO_NUMBER, OTHER_NUMBER, toUpper, UPPER_CASE } from '../number-form.ts';
import type { SearchIndex } from '../search-index.ts';
import { firstNotBelow } from './words.ts';

/**
 * Writes a page of results from the index into JSON bytes, without creating an object or a string per entity. Values
 * that repeat (a status, a date) are encoded once, together with the name of their field; texts and numbers are copied
 * from the index.
 */
export interface PageWriter {
  /** `{"data":[…],"meta":…}`. */
  write(docs: Uint32Array, meta: string): Uint8Array;
}

/** Writes one field of a document at `at` and returns where the field ends. */
type FieldWriter = (doc: number, to: Uint8Array, at: number) => number;

interface Field {
  readonly write: FieldWriter;
  /** The most bytes that the field can take. */
  measure(doc: number): number;
}

export function createPageWriter(index: SearchIndex): PageWriter {
  const fields = summaryNames.map((name, at) => createField(index, name, at === 0 ? '{' : ','));
  const writers = fields.map(({ write }) => write);
  const begin = Buffer.from('{"data":[');

  return {
    write(docs, meta) {
      let room = begin.length + 2 * docs.length + meta.length + 16;
      for (const doc of docs) for (const { measure } of fields) room += measure(doc);
      const bytes = Buffer.allocUnsafe(room);
      let end = copy(begin, 0, begin.length, bytes, 0);
      for (const doc of docs) {
        for (const write of writers) end = write(doc, bytes, end);
        bytes[end++] = CLOSE;
        bytes[end++] = COMMA;
      }
      // No comma after the last item.
      if (docs.length > 0) end--;
      end += bytes.write(`],"meta":${meta}}`, end, 'latin1');
      return bytes.subarray(0, end);
    },
  };
}

const [COMMA, CLOSE, QUOTE, DASH, SPACE] = [0x2c, 0x7d, 0x22, 0x2d, 0x20];

/** `before` separates the field from what precedes it. */
function createField(index: SearchIndex, name: SummaryName, before: string): Field {
  const label = `${before}"${name}":`;
  const { type, values } = summaryFields[name];
  if (type === 'uuid') return createIdField(index, label);
  if (values === 'number') return createNumberField(index, label);
  return values === 'few'
    ? createValueField(index, name as FewValuedName, label)
    : createTextField(index, name as TextName, label);
}

function createIdField({ arrays }: SearchIndex, label: string): Field {
  const ids = arrays['summary.id'];
  const start = Buffer.from(`${label}"`);
  const length = start.length + 37;
  return {
    measure: () => length,
    write(doc, to, at) {
      const end = writeId(ids, doc * 16, to, copy(start, 0, start.length, to, at));
      to[end] = QUOTE;
      return end + 1;
    },
  };
}

/** Encodes a value when it is first written: there may be tens of thousands of dates. */
function createValueField({ arrays, texts }: SearchIndex, name: FewValuedName, label: string): Field {
  const numbers = arrays[`summary.${name}`];
  const values = texts.columns[name];
  const encoded: Uint8Array[] = [];
  const encode = (number: number) => {
    encoded[number] ??= Buffer.from(label + JSON.stringify(showValue(name, values[number] ?? null)));
    return encoded[number];
  };
  return {
    measure: (doc) => encode(numbers[doc] as number).length,
    write(doc, to, at) {
      const text = encode(numbers[doc] as number);
      return copy(text, 0, text.length, to, at);
    },
  };
}

function createTextField({ arrays }: SearchIndex, name: TextName, label: string): Field {
  const text = arrays[`summary.${name}.text`];
  const starts = arrays[`summary.${name}.starts`];
  const start = Buffer.from(label);
  return {
    measure: (doc) => start.length + (starts[doc + 1] as number) - (starts[doc] as number),
    write(doc, to, at) {
      const end = copy(start, 0, start.length, to, at);
      return copy(text, starts[doc] as number, starts[doc + 1] as number, to, end);
    },
  };
}

/** The first of the folded numbers, with its letters in the case of the original; other numbers are kept as texts. */
function createNumberField({ arrays }: SearchIndex, label: string): Field {
  const { numberText, numberStarts, otherNumberDocs, otherNumberText, otherNumberStarts } = arrays;
  const forms = arrays['summary.registrationNumber'];
  const none = Buffer.from(`${label}null`);
  const start = Buffer.from(label);
  const other = (doc: number) => firstNotBelow(otherNumberDocs.length, (at) => (otherNumberDocs[at] as number) < doc);
  const endOf = (doc: number) => {
    const end = numberStarts[doc + 1] as number;
    for (let at = numberStarts[doc] as number; at < end; at++) if ((numberText[at] as number) < SPACE) return at;
    return end;
  };
  return {
    measure(doc) {
      if (forms[doc] !== OTHER_NUMBER) return none.length + endOf(doc) - (numberStarts[doc] as number);
      const at = other(doc);
      return start.length + (otherNumberStarts[at + 1] as number) - (otherNumberStarts[at] as number);
    },
    write(doc, to, at) {
      const form = forms[doc];
      if (form === NO_NUMBER) return copy(none, 0, none.length, to, at);
      let next = copy(start, 0, start.length, to, at);
      if (form === OTHER_NUMBER) {
        const found = other(doc);
        const end = otherNumberStarts[found + 1] as number;
        return copy(otherNumberText, otherNumberStarts[found] as number, end, to, next);
      }
      to[next++] = QUOTE;
      const first = next;
      next = copy(numberText, numberStarts[doc] as number, endOf(doc), to, next);
      if (form === UPPER_CASE) for (let index = first; index < next; index++) to[index] = toUpper(to[index] as number);
      to[next] = QUOTE;
      return next + 1;
    },
  };
}

/** A loop, because for a few bytes it is faster than `set` of a `subarray`. */
function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  let next = at;
  for (let index = start; index < end; index++) to[next++] = from[index] as number;
  return next;
}

const DIGITS = Buffer.from('0123456789abcdef');

function writeId(ids: Uint8Array, start: number, to: Uint8Array, at: number): number {
  let next = at;
  for (let byte = 0; byte < 16; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) to[next++] = DASH;
    const value = ids[start + byte] as number;
    to[next++] = DIGITS[value >>> 4] as number;
    to[next++] = DIGITS[value & 15] as number;
  }
  return next;
}
