export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export function viewOfText(text: string): DataView {
  return viewOf(Buffer.from(text));
}

/** For a few bytes a loop is faster than `set` of a `subarray`; eight bytes at once, which a `DataView` can, save more than half. */
export function copy(from: DataView, start: number, end: number, to: DataView, at: number): number {
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
