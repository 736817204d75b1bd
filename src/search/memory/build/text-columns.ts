import { type FewValuedName, textNames } from '../../../core/entity-summary.ts';
import { numbersForForms, OTHER_NUMBER, writeForm } from '../number-form.ts';
import type { NumberColumn, OtherNameArrays, SummaryArrays } from '../search-index.ts';
import { type Offsets, sharedBytes, sharedNumbers, sharedOffsets } from '../shared-arrays.ts';
import { indexOtherNames } from './other-names.ts';
import { formOfNumber, startOfTexts, TEXT_RECORD, type TextRows } from './rows/text-rows.ts';

/** The ids and texts of all documents, in their order. */
export interface TextColumns {
  readonly summary: Omit<SummaryArrays, `summary.${FewValuedName}`>;
  readonly numbers: SharedTexts;
  readonly separatedNumbers: Uint32Array<SharedArrayBuffer>;
  readonly otherNames: OtherNameArrays;
}

interface SharedTexts {
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly starts: Offsets;
}

/** `order` has the row of each document. Gives up the memory of the rows as soon as they are copied. */
export function layOutTexts(rows: TextRows, order: Uint32Array): TextColumns {
  const { summary, numbers, otherNames } = copyTexts(rows, order);
  rows.records.release();
  rows.bytes.release();
  return {
    summary,
    numbers,
    otherNames,
    separatedNumbers: findSeparated(numbers, order.length),
  };
}

function copyTexts(rows: TextRows, order: Uint32Array): Pick<TextColumns, 'summary' | 'numbers' | 'otherNames'> {
  const { count, lengths } = rows;
  const ids = sharedBytes(count * 16);
  const idView = new DataView(ids.buffer);
  const texts = textNames.map((name) => createTexts(count, lengths[name]));
  const numbers = createTexts(count, lengths.numbers);
  const others = createTexts(rows.otherNumbers, lengths.otherNumbers);
  const otherDocs = sharedNumbers(rows.otherNumbers);
  const forms = sharedNumbers(numbersForForms(count));
  const records = rows.records.values;
  const { bytes } = rows.bytes;
  const named = createTexts(rows.otherNamed, lengths.otherNames);
  const namedDocs = sharedNumbers(rows.otherNamed);
  let otherCount = 0;
  let namedCount = 0;
  for (let doc = 0; doc < count; doc++) {
    const row = order[doc] as number;
    writeId(records, row, idView, doc);
    let at = startOfTexts(records, row);
    for (const text of texts) at = copyText(bytes, at, text, doc);
    at = copyText(bytes, at, numbers, doc);
    const form = formOfNumber(records, row);
    writeForm(forms, doc, form);
    if (form === OTHER_NUMBER) {
      otherDocs[otherCount] = doc;
      at = copyText(bytes, at, others, otherCount++);
    }
    if (bytes[at] === 0) continue;
    namedDocs[namedCount] = doc;
    copyText(bytes, at, named, namedCount++);
  }
  const numberColumn: NumberColumn = {
    'summary.registrationNumber': forms,
    otherNumberDocs: otherDocs,
    otherNumberText: others.bytes,
    otherNumberStarts: others.starts,
  };
  const textColumns = textNames.flatMap((name, index) => [
    [`summary.${name}.text`, texts[index]?.bytes],
    [`summary.${name}.starts`, texts[index]?.starts],
  ]);
  return {
    summary: { 'summary.id': ids, ...numberColumn, ...Object.fromEntries(textColumns) },
    numbers,
    otherNames: indexOtherNames(namedDocs, named.bytes, named.starts),
  };
}

function createTexts(count: number, length: number): SharedTexts {
  return { bytes: sharedBytes(length), starts: sharedOffsets(count + 1, length) };
}

/** Big-endian. */
function writeId(records: Uint32Array, row: number, ids: DataView, doc: number): void {
  for (let part = 0; part < 4; part++) {
    ids.setUint32(doc * 16 + part * 4, records[row * TEXT_RECORD + part] as number);
  }
}

/** Copies the text at `from`, up to a zero byte, to the end of the texts. Returns where the next text starts. */
function copyText(source: Uint8Array, from: number, { bytes, starts }: SharedTexts, number: number): number {
  let end = starts[number] as number;
  let at = from;
  for (let byte = source[at] as number; byte !== 0; byte = source[++at] as number) bytes[end++] = byte;
  starts[number + 1] = end;
  return at + 1;
}

const TAB = 0x09;

/** One bit per document: whether one of its numbers is followed by its form without separators (`numberKeys`). */
function findSeparated({ bytes, starts }: SharedTexts, count: number): Uint32Array<SharedArrayBuffer> {
  const bits = sharedNumbers(Math.ceil(count / 32));
  let doc = 0;
  for (let at = bytes.indexOf(TAB); at !== -1; at = bytes.indexOf(TAB, starts[doc + 1])) {
    while ((starts[doc + 1] as number) <= at) doc++;
    bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
  }
  return bits;
}
