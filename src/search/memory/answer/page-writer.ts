import {
  type FewValuedName,
  type SummaryName,
  showValue,
  summaryFields,
  summaryNames,
} from '../../../base/entity-summary.ts';
import type { FormMeaning } from '../../../registers/classifications/elf.ts';
import { COMBINATION, NO_NUMBER, OTHER_NUMBER, partOf, readForm, toUpper } from '../encodings.ts';
import type { ColumnName, SearchIndex } from '../search-index.ts';
import { positionOf } from '../shared-arrays.ts';
import type { FormMeanings } from './form-meanings.ts';
import type { Page } from './merge-page.ts';
import { firstNotBelow } from './words.ts';

/**
 * Writes the documents of one index into JSON bytes, without creating an object or a string per entity. Values that repeat (a
 * status, a date) are encoded once per index, together with the name of their field; texts and numbers are copied from
 * the index.
 */
export function createDocWriter(index: SearchIndex, forms: FormMeanings): DocWriter {
  // The fields that are derived from the legal form are written together, in the place of `elf`.
  const names = summaryNames.filter((name) => summaryFields[name].values !== 'form' || name === 'elf');
  const writers = names.map((name, at) => createField(index, forms, name, at === 0 ? '{' : ','));
  return (doc, to, at) => {
    let end = at;
    for (const write of writers) end = write(doc, to, end);
    to.setUint8(end, CLOSE);
    return end + 1;
  };
}

/** Writes a document, or one field of it, and returns where it ends. Throws a `RangeError` if there is not enough room. */
type DocWriter = (doc: number, to: DataView, at: number) => number;

/** Writes pages. The parameter `of` of its functions has the writer of each index, by part. */
export function createPageWriter() {
  const begin = Buffer.from('{"data":[');
  // Every page is written here and then copied. That is faster than measuring all fields to allocate the right size.
  let room = Buffer.concat([begin], FIRST_ROOM);
  let view = viewOf(room);

  function provideRoom(end: number, needed: number): void {
    if (end + needed <= room.length) return;
    const larger = Buffer.allocUnsafe(2 * (end + needed));
    larger.set(room.subarray(0, end));
    room = larger;
    view = viewOf(room);
  }

  /** Writes a document, and repeats this with more room if it does not fit. Measuring first would take a tenth of the time of a page. */
  function writeDoc(writer: DocWriter, doc: number, start: number, separator: number, more: Uint8Array): number {
    for (;;) {
      try {
        let end = writer(doc, view, start);
        if (more.length > 0) {
          // The further fields replace the closing brace, which is written again after them.
          room.set(more, end - 1);
          end += more.length;
          view.setUint8(end - 1, CLOSE);
        }
        view.setUint8(end, separator);
        return end + 1;
      } catch (error) {
        if (!(error instanceof RangeError) || room.length - start > MAX_DOC) throw error;
        provideRoom(start, room.length);
      }
    }
  }

  /** Writes the documents after `begin`, with a separator after each. Returns where they end. */
  function writeDocs({ docs, parts }: Page, of: readonly DocWriter[], separator: number, writeMore: WriteMore): number {
    let end = begin.length;
    for (let at = 0; at < docs.length; at++) {
      const [doc, part] = [docs[at] as number, parts[at] as number];
      end = writeDoc(of[part] as DocWriter, doc, end, separator, writeMore(doc, part));
    }
    return end;
  }

  return {
    /** Writes the entities of a page, one per line. */
    writeLines(page: Page, of: readonly DocWriter[], writeMore = writeNothing): Uint8Array {
      const end = writeDocs(page, of, LINE_BREAK, writeMore);
      return Buffer.from(room.subarray(begin.length, end));
    },
    /** Writes a reply: `{"data":[…],"meta":…}`. */
    write(page: Page, of: readonly DocWriter[], meta: string, writeMore = writeNothing): Buffer<ArrayBuffer> {
      let end = writeDocs(page, of, COMMA, writeMore);
      // No comma after the last item.
      if (page.docs.length > 0) end--;
      const rest = `],"meta":${meta}}`;
      provideRoom(end, rest.length);
      end += room.write(rest, end, 'latin1');
      // Not in the pool of small buffers, because the reply may be kept.
      const reply = Buffer.allocUnsafeSlow(end) as Buffer<ArrayBuffer>;
      room.copy(reply, 0, 0, end);
      return reply;
    },
  };
}

/** Returns further fields of a document as JSON, with a comma before each field. */
export type WriteMore = (doc: number, part: number) => Uint8Array;
const NOTHING = new Uint8Array(0);
const writeNothing: WriteMore = () => NOTHING;

const FIRST_ROOM = 64 * 1024;
/** More bytes than any document has. */
const MAX_DOC = 2 ** 30;
const [COMMA, CLOSE, QUOTE, DASH, SPACE, LINE_BREAK] = [0x2c, 0x7d, 0x22, 0x2d, 0x20, 0x0a];

/** Creates the writer of a field. `before` is the character before the field: a brace or a comma. */
function createField(index: SearchIndex, forms: FormMeanings, name: SummaryName, before: string): DocWriter {
  const label = `${before}"${name}":`;
  const { type, values } = summaryFields[name];
  if (type === 'uuid') return createIdField(index, label);
  if (values === 'number') return createNumberField(index, label);
  if (values === 'form') return createFormField(forms);
  return values === 'few' ? createValueField(index, name as FewValuedName, label) : createNameField(index, label);
}

function createIdField({ arrays }: SearchIndex, label: string): DocWriter {
  const ids = arrays['summary.id'];
  const start = viewOfText(`${label}"`);
  return (doc, to, at) => {
    const end = writeId(ids, doc * 16, to, copy(start, 0, start.byteLength, to, at));
    to.setUint8(end, QUOTE);
    return end + 1;
  };
}

function createNameField({ arrays }: SearchIndex, label: string): DocWriter {
  const text = viewOf(arrays['summary.canonicalName.text']);
  const { 'summary.canonicalName.starts': starts, 'summary.canonicalName.steps': steps } = arrays;
  const start = viewOfText(`${label}"`);
  return (doc, to, at) => {
    const next = copy(start, 0, start.byteLength, to, at);
    const end = copy(text, positionOf(starts, steps, doc), positionOf(starts, steps, doc + 1), to, next);
    to.setUint8(end, QUOTE);
    return end + 1;
  };
}

/**
 * Encodes a value when it is first written, because there may be tens of thousands of dates and cities. The encoded values
 * share one buffer: the processor's cache could hold only a few separate buffers.
 */
function createValueField({ arrays, texts }: SearchIndex, name: FewValuedName, label: string): DocWriter {
  const numberOf = createNumberReader(arrays, name);
  const values = texts.columns[name];
  const starts = new Uint32Array(values.length);
  const ends = new Uint32Array(values.length);
  let encoded = Buffer.alloc(4_096);
  let view = viewOf(encoded);
  let length = 0;
  function encode(number: number): void {
    const bytes = Buffer.from(label + JSON.stringify(showValue(name, values.at(number))));
    if (length + bytes.length > encoded.length) {
      encoded = Buffer.concat([encoded], 2 * (length + bytes.length));
      view = viewOf(encoded);
    }
    starts[number] = length;
    length += bytes.copy(encoded, length);
    ends[number] = length;
  }
  return (doc, to, at) => {
    const number = numberOf(doc);
    if (ends[number] === 0) encode(number);
    return copy(view, starts[number] as number, ends[number] as number, to, at);
  };
}

/** Returns a function that reads the number of a document's value. */
function createNumberReader(arrays: SearchIndex['arrays'], name: FewValuedName): (doc: number) => number {
  const { combination, combinationParts, industry, industryIsic } = arrays;
  if (name === 'isic') return (doc) => industryIsic[industry[doc] as number] as number;
  const part = partOf(name);
  if (part >= 0) return (doc) => combinationParts[(combination[doc] as number) * COMBINATION + part] as number;
  const numbers = arrays[`summary.${name as ColumnName}`];
  return (doc) => numbers[doc] as number;
}

/** Writes the two fields for the meaning of the legal form. Few meanings occur in an index, so a meaning is encoded when first written. */
function createFormField(forms: FormMeanings): DocWriter {
  const encoded: DataView[] = [];
  const encode = (number: number) => {
    const { elf, legalFormClass } = forms.list[number] as FormMeaning;
    return viewOfText(`,${JSON.stringify({ elf: elf?.code ?? null, legalFormClass }).slice(1, -1)}`);
  };
  return (doc, to, at) => {
    const number = forms.numberOf(doc);
    const bytes = encoded[number] ?? encode(number);
    encoded[number] = bytes;
    return copy(bytes, 0, bytes.byteLength, to, at);
  };
}

/** Writes the registration number: the first folded number in upper case, or a number that is stored as a text. */
function createNumberField({ arrays }: SearchIndex, label: string): DocWriter {
  const { numberText, numberStarts, numberSteps, otherNumberDocs, otherNumberStarts } = arrays;
  const otherNumberText = viewOf(arrays.otherNumberText);
  const forms = arrays['summary.registrationNumber'];
  const start = viewOfText(`${label}"`);
  const none = viewOfText(`${label}null`);
  return (doc, to, at) => {
    const form = readForm(forms, doc);
    if (form === NO_NUMBER) return copy(none, 0, none.byteLength, to, at);
    let next = copy(start, 0, start.byteLength, to, at);
    if (form === OTHER_NUMBER) {
      const other = firstNotBelow(otherNumberDocs.length, (place) => (otherNumberDocs[place] as number) < doc);
      const end = otherNumberStarts[other + 1] as number;
      next = copy(otherNumberText, otherNumberStarts[other] as number, end, to, next);
    } else {
      const end = positionOf(numberStarts, numberSteps, doc + 1);
      for (let from = positionOf(numberStarts, numberSteps, doc); from < end; from++) {
        const byte = numberText[from] as number;
        // A tab or a line break ends the number. Another form or another number follows.
        if (byte < SPACE) break;
        to.setUint8(next++, toUpper(byte));
      }
    }
    to.setUint8(next, QUOTE);
    return next + 1;
  };
}

/** For each byte, the bytes of its two hexadecimal digits as one 16-bit number. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0')).readUInt16LE(),
);

function writeId(ids: Uint8Array, start: number, to: DataView, at: number): number {
  let next = at;
  for (let byte = 0; byte < 16; byte++, next += 2) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) to.setUint8(next++, DASH);
    to.setUint16(next, DIGITS[ids[start + byte] as number] as number, true);
  }
  return next;
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function viewOfText(text: string): DataView {
  return viewOf(Buffer.from(text));
}

/** Copies bytes. For a few bytes, a loop is faster than `set` of a `subarray`, and copying eight bytes at once saves more than half. */
function copy(from: DataView, start: number, end: number, to: DataView, at: number): number {
  let next = at;
  let index = start;
  for (; index + 7 < end; index += 8, next += 8) to.setBigUint64(next, from.getBigUint64(index, true), true);
  if (index + 3 < end) {
    to.setUint32(next, from.getUint32(index, true), true);
    index += 4;
    next += 4;
  }
  for (; index < end; index++) to.setUint8(next++, from.getUint8(index));
  return next;
}
