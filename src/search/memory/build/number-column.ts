import { firstNotBelow } from '../answer/words.ts';
import { AS_FOLDED, NO_NUMBER, numbersForForms, OTHER_NUMBER, toUpper, UPPER_CASE, writeForm } from '../number-form.ts';
import { NULL_BYTE, type NumberColumn } from '../search-index.ts';
import { sharedNumbers, shareNumbers } from '../shared-arrays.ts';
import { GrowingBytes, GrowingNumbers } from './growing-arrays.ts';
import { isPlain, type TextArrays, writeJsonTexts } from './json-texts.ts';
import { createTexts, readText, type Texts } from './texts.ts';

/** The registration numbers of all rows: the form of each (`number-form.ts`), and the texts of those without one. */
export interface NumberForms {
  readonly forms: GrowingBytes;
  /** The rows whose form is `OTHER_NUMBER`, ascending, and their texts. */
  readonly rows: GrowingNumbers;
  readonly texts: Texts;
}

/** `NumberForms` as plain arrays, which can be sent to another thread. */
export interface NumberFormArrays {
  readonly forms: Uint8Array;
  readonly rows: Uint32Array;
  readonly texts: TextArrays;
}

export function createNumberForms(): NumberForms {
  return { forms: new GrowingBytes(), rows: new GrowingNumbers(), texts: createTexts() };
}

/**
 * Reads the registration number at `start` and compares it with the first of `numbers` of the same row, which must have
 * been read before. Returns where the next value starts.
 */
export function readNumberForm(into: NumberForms, numbers: Texts, chunk: Uint8Array, start: number): number {
  let end = start;
  while (chunk[end] !== 0) end++;
  const form = chunk[start] === NULL_BYTE ? NO_NUMBER : findForm(numbers, chunk, start, end);
  if (form === OTHER_NUMBER) {
    into.rows.push(into.forms.length);
    readText(into.texts, chunk, start);
  }
  into.forms.push(form);
  return end + 1;
}

function findForm({ bytes: { bytes, length }, starts }: Texts, chunk: Uint8Array, start: number, end: number): number {
  const first = starts.values[starts.length - 1] as number;
  const after = first + end - start;
  // A line break or a tab ends the first number.
  const isComplete = after === length || (after < length && (bytes[after] as number) < 0x20);
  if (!isComplete || !isPlain(chunk, start, end)) return OTHER_NUMBER;
  let isFolded = true;
  let isUpper = true;
  for (let at = start; at < end; at++) {
    const folded = bytes[first + at - start] as number;
    const byte = chunk[at] as number;
    isFolded &&= byte === folded;
    isUpper &&= byte === toUpper(folded);
  }
  if (isFolded) return AS_FOLDED;
  return isUpper ? UPPER_CASE : OTHER_NUMBER;
}

export function layOutNumbers({ forms, rows, texts }: NumberFormArrays, order: Uint32Array): NumberColumn {
  const ordered = sharedNumbers(numbersForForms(order.length));
  const docs = new GrowingNumbers();
  /** The texts in document order, by their number in `texts`. */
  const others = new GrowingNumbers();
  for (let doc = 0; doc < order.length; doc++) {
    const row = order[doc] as number;
    const form = forms[row] as number;
    writeForm(ordered, doc, form);
    if (form !== OTHER_NUMBER) continue;
    docs.push(doc);
    others.push(firstNotBelow(rows.length, (other) => (rows[other] as number) < row));
  }
  const json = writeJsonTexts(texts, others.values.subarray(0, others.length));
  return {
    'summary.registrationNumber': ordered,
    otherNumberDocs: shareNumbers(docs.values.subarray(0, docs.length)),
    otherNumberText: json.bytes,
    otherNumberStarts: json.starts,
  };
}
