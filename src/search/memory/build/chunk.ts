import { summaryFields } from '../../../base/entity-summary.ts';
import { ACTIVITIES_JSON, NAMED_REGISTRY } from '../../store.ts';
import { combinedNames, singleNames } from '../encodings.ts';
import { PADDING } from './growing-arrays.ts';

/**
 * The columns that an index is built from, in the order of a dump. Two threads read each row: one thread takes its texts
 * (`texts.ts`), the other thread numbers its words and values (`values.ts`).
 */
export const rowColumns: readonly string[] = [
  // Columns for `texts.ts`.
  summaryFields.id.column,
  summaryFields.canonicalName.column,
  'number_keys',
  summaryFields.registrationNumber.column,
  NAMED_REGISTRY,
  // Columns for `values.ts`.
  'name_key',
  ...[...singleNames, ...combinedNames].map((name) => summaryFields[name].column),
  'legal_form_code',
  'activity_keys',
  ACTIVITIES_JSON,
];

/** A part of a dump: complete rows. Each value ends with a zero byte. */
export interface Chunk {
  /** The rows, followed by `PADDING` more bytes, so that a value can be read in steps of four bytes. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly length: number;
}

/** A chunk of the first `length` bytes of a buffer, which must be at least `PADDING` bytes longer. */
export function viewChunk(buffer: ArrayBufferLike, length: number): Chunk {
  return { bytes: new Uint8Array(buffer), view: new DataView(buffer), length };
}

/** Copies bytes to a chunk. The buffer of `into` is reused if it is large enough. */
export function copyChunk(bytes: Uint8Array, into?: Chunk): Chunk {
  const isEnough = into !== undefined && into.bytes.length >= bytes.length + PADDING;
  const buffer = isEnough ? into.bytes.buffer : new ArrayBuffer(bytes.length + PADDING);
  const chunk = viewChunk(buffer, bytes.length);
  chunk.bytes.set(bytes);
  return chunk;
}

/** Skips `count` values and returns where the next value starts. Compares four bytes at a time. */
export function skipValues(view: DataView, start: number, count: number): number {
  let left = count;
  for (let at = start; ; at += 4) {
    const four = view.getInt32(at, true);
    // Sets only the highest bit of each zero byte. In any other byte, adding 0x7f to the lower bits, or the byte itself, sets this bit.
    let ends = ~(((four & 0x7f7f7f7f) + 0x7f7f7f7f) | four | 0x7f7f7f7f);
    for (; ends !== 0; ends &= ends - 1) if (--left === 0) return at + 1 + ((31 - Math.clz32(ends & -ends)) >>> 3);
  }
}
