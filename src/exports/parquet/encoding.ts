import { constants, zstdCompressSync } from 'node:zlib';
import type { ByteWriter } from 'hyparquet-writer';

/** Encodings of Parquet that `hyparquet-writer` also contains, but does not export. */

/** Values are packed in groups of this size. A run of equal values has at least this length. */
const GROUP = 8;
/** The maximum size of a header (of a run or of groups) and the value of a run. */
const MAX_RUN_BYTES = 5 + 4;

/** Encodes values of `bits` bits: equal values as runs, all others packed ("RLE/bit-packing hybrid"). */
export function encodeRuns(values: ArrayLike<number>, bits: number): Uint8Array {
  const groups = Math.ceil(values.length / GROUP);
  const bytes = new Uint8Array(groups * (bits + 2 * MAX_RUN_BYTES));
  let end = 0;

  function appendVarInt(value: number): void {
    for (; value > 0x7f; value >>>= 7) bytes[end++] = (value & 0x7f) | 0x80;
    bytes[end++] = value;
  }

  function appendRun(value: number, count: number): void {
    appendVarInt(count << 1);
    for (let shift = 0; shift < bits; shift += 8) bytes[end++] = value >> shift;
  }

  function appendPacked(from: number, to: number): void {
    if (from >= to) return;
    const count = Math.ceil((to - from) / GROUP);
    appendVarInt((count << 1) | 1);
    let waiting = 0;
    let used = 0;
    for (let at = from; at < from + count * GROUP; at++) {
      // The last group may have fewer values.
      waiting |= (values[at] ?? 0) << used;
      for (used += bits; used >= 8; used -= 8) {
        bytes[end++] = waiting;
        waiting >>>= 8;
      }
    }
  }

  let packedFrom = 0;
  for (let at = 0; at < values.length; ) {
    const value = values[at] as number;
    let runEnd = at + 1;
    while (runEnd < values.length && values[runEnd] === value) runEnd++;
    if (runEnd - at < GROUP) {
      at += GROUP;
      continue;
    }
    appendPacked(packedFrom, at);
    appendRun(value, runEnd - at);
    at = runEnd;
    packedFrom = runEnd;
  }
  appendPacked(packedFrom, values.length);
  return bytes.subarray(0, end);
}

/** The values of a Thrift structure, by the numbers of its fields. */
export interface ThriftFields {
  readonly [field: number]: number | ThriftFields;
}

const STOP = 0;
const I32 = 5;
const STRUCT = 12;

/** Writes a structure in Thrift's compact protocol. JavaScript iterates numeric keys in ascending order, as the protocol needs. */
export function writeThrift(writer: ByteWriter, fields: ThriftFields): void {
  let last = 0;
  for (const [key, value] of Object.entries(fields)) {
    const field = Number(key);
    const isNumber = typeof value === 'number';
    writer.appendUint8(((field - last) << 4) | (isNumber ? I32 : STRUCT));
    if (isNumber) writer.appendZigZag(value);
    else writeThrift(writer, value);
    last = field;
  }
  writer.appendUint8(STOP);
}

export type LeafValue = string | number | boolean;

/** Collects values in their plain encoding. */
export interface Sink {
  add(value: LeafValue): void;
  bytes(): number;
  /** Returns the collected values, compressed, and starts again. */
  take(): Compressed;
}

export interface Compressed {
  readonly body: Uint8Array;
  /** The size of the body before compression. */
  readonly bodyBytes: number;
}

const params = { [constants.ZSTD_c_compressionLevel]: 3 };

export function compress(bytes: Uint8Array): Compressed {
  return { body: zstdCompressSync(bytes, { params }), bodyBytes: bytes.length };
}

export function createSink(type: string | undefined): Sink {
  if (type === 'BOOLEAN') return createBooleans();
  let buffer = Buffer.allocUnsafeSlow(1_024);
  let at = 0;
  const reserve = (size: number) => {
    if (at + size <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (at + size));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  };
  const adders: Readonly<Record<string, (value: LeafValue) => void>> = {
    BYTE_ARRAY(value) {
      const text = value as string;
      reserve(4 + 3 * text.length);
      const length = buffer.write(text, at + 4);
      buffer.writeUInt32LE(length, at);
      at += 4 + length;
    },
    INT32(value) {
      reserve(4);
      at = buffer.writeInt32LE(value as number, at);
    },
    INT64(value) {
      reserve(8);
      at = buffer.writeBigInt64LE(BigInt(value as number), at);
    },
    DOUBLE(value) {
      reserve(8);
      at = buffer.writeDoubleLE(value as number, at);
    },
  };
  const add = adders[type ?? ''];
  if (add === undefined) throw new Error(`no plain encoding for the type ${type}`);
  return {
    add,
    bytes: () => at,
    take() {
      const taken = compress(buffer.subarray(0, at));
      at = 0;
      return taken;
    },
  };
}

/** Encodes booleans as runs, because neighbouring values are usually equal. */
function createBooleans(): Sink {
  let values: number[] = [];
  return {
    add: (value) => values.push(value ? 1 : 0),
    bytes: () => 0,
    take() {
      const runs = encodeRuns(values, 1);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(runs.length);
      values = [];
      return compress(Buffer.concat([length, runs]));
    },
  };
}

/** From this code unit on, the order of UTF-16 can differ from that of UTF-8. */
const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;

/** Readers compare UTF-8 bytes, which have the order of code points. The order of UTF-16 differs beyond U+FFFF. */
export function compareTexts(left: LeafValue, right: LeafValue): number {
  if (typeof left !== 'string' || typeof right !== 'string') return Number(left) - Number(right);
  if (left === right) return 0;
  let at = 0;
  const end = Math.min(left.length, right.length);
  while (at < end && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  if (at === end) return left.length - right.length;
  return toOrder(left.charCodeAt(at)) - toOrder(right.charCodeAt(at));
}

function toOrder(unit: number): number {
  return unit >= SURROGATES && unit < AFTER_SURROGATES ? unit + 0x10000 : unit;
}
