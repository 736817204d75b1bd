/** Bytes of a file, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Reads a `Range` header (RFC 9110, 14.2). Undefined means the whole file: without the header, for several ranges, which we do not
 * support, and for malformed ones, which have to be ignored.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = SINGLE.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return readSuffix(Number(to), size);
  const [first, last] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
  if (last < first) return undefined;
  return first < size ? { first, last: Math.min(last, size - 1) } : 'unsatisfiable';
}

/** The last bytes of the file. */
function readSuffix(length: number, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (length === 0) return 'unsatisfiable';
  return size === 0 ? undefined : { first: Math.max(0, size - length), last: size - 1 };
}
