import type { ByteWriter } from 'hyparquet-writer';

/** The encodings of Parquet that `hyparquet-writer` has, too, but not in its public interface. */

/** Others are packed in groups of this size, and a run of equal values has at least as many. */
const GROUP = 8;
/** The header of a run or of groups, and the value of a run. */
const MAX_RUN_BYTES = 5 + 4;

/** Encodes values of so many bits as runs of equal values, and all others packed: "RLE/bit-packing hybrid". */
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

/** The numbers and structures of a Thrift structure, by the numbers of their fields. */
export interface ThriftFields {
  readonly [field: number]: number | ThriftFields;
}

const STOP = 0;
const I32 = 5;
const STRUCT = 12;

/** Writes a structure in Thrift's compact protocol. An object has its numeric keys in ascending order. */
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
