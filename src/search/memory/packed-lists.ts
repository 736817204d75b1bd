/**
 * A sorted list that takes 16 bits per document. The documents of an index are divided into chunks of 65,536: `lows` has the position of
 * each document in its chunk, and `starts` has where the documents of each chunk begin and, at the end, where the last chunk ends.
 */
export interface PackedList {
  readonly lows: Uint16Array;
  readonly starts: Uint32Array;
}

const CHUNK_SHIFT = 16;
const LOW = (1 << CHUNK_SHIFT) - 1;

export function chunksFor(docCount: number): number {
  return Math.ceil(docCount / (1 << CHUNK_SHIFT));
}

/** The length of a stored list in numbers of 32 bits. A packed list has `starts` and then, two in each number, `lows`. */
export function storedLength(size: number, chunks: number): number {
  return isPacked(size, chunks) ? chunks + 1 + Math.ceil(size / 2) : size;
}

export function isPacked(size: number, chunks: number): boolean {
  return size > 2 * (chunks + 1);
}

/** Writes a list to the stored lists. */
export function storeList(list: Uint32Array, setDocs: Uint32Array, start: number, chunks: number): void {
  if (!isPacked(list.length, chunks)) {
    setDocs.set(list, start);
    return;
  }
  const { starts, lows } = viewPacked(setDocs, start, list.length, chunks);
  for (let at = 0; at < list.length; at++) {
    const doc = list[at] as number;
    lows[at] = doc & LOW;
    starts[(doc >>> CHUNK_SHIFT) + 1] = at + 1;
  }
  for (let chunk = 1; chunk <= chunks; chunk++) {
    starts[chunk] = Math.max(starts[chunk] as number, starts[chunk - 1] as number);
  }
}

export function viewPacked(setDocs: Uint32Array, start: number, size: number, chunks: number): PackedList {
  const lowsAt = start + chunks + 1;
  const lows = new Uint16Array(setDocs.buffer, setDocs.byteOffset + 4 * lowsAt, size);
  return { starts: setDocs.subarray(start, lowsAt), lows };
}

/** The position of the first document of a packed list that is not below `doc`. */
export function findInPacked({ lows, starts }: PackedList, doc: number): number {
  const chunk = doc >>> CHUNK_SHIFT;
  if (chunk + 1 >= starts.length) return lows.length;
  return firstLow(lows, doc & LOW, starts[chunk] as number, starts[chunk + 1] as number);
}

export function hasPacked({ lows, starts }: PackedList, doc: number): boolean {
  const chunk = doc >>> CHUNK_SHIFT;
  const end = starts[chunk + 1] as number;
  const at = firstLow(lows, doc & LOW, starts[chunk] as number, end);
  return at < end && lows[at] === (doc & LOW);
}

/** Creates a test whether a document is in the list. Documents must be tested in ascending order. */
export function followPacked({ lows, starts }: PackedList): (doc: number) => boolean {
  let [current, at, end] = [-1, 0, 0];
  return (doc) => {
    const chunk = doc >>> CHUNK_SHIFT;
    if (chunk !== current) {
      current = chunk;
      at = starts[chunk] as number;
      end = starts[chunk + 1] as number;
    }
    at = firstLow(lows, doc & LOW, at, end);
    return at < end && lows[at] === (doc & LOW);
  };
}

/** The first position from `from` on, and before `to`, whose value is not below `low`. Searches near `from` first. */
function firstLow(lows: Uint16Array, low: number, from: number, to: number): number {
  let start = from;
  let step = 1;
  while (start + step <= to && (lows[start + step - 1] as number) < low) {
    start += step;
    step *= 2;
  }
  let end = Math.min(to, start + step - 1);
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((lows[middle] as number) < low) start = middle + 1;
    else end = middle;
  }
  return start;
}

/** Fills `into` with the documents from the position `from` on. The list must have so many. */
export function readPacked({ lows, starts }: PackedList, from: number, into: Uint32Array): Uint32Array {
  const end = from + into.length;
  let at = from;
  for (let chunk = 0; at < end; chunk++) {
    const last = Math.min(end, starts[chunk + 1] as number);
    for (const first = chunk << CHUNK_SHIFT; at < last; at++) into[at - from] = first + (lows[at] as number);
  }
  return into;
}

/** The documents of a packed list that are in a bitmap, written to `into`. The loop has no branch that depends on the documents. */
export function keepPacked({ lows, starts }: PackedList, bits: Uint32Array, into: Uint32Array): Uint32Array {
  let end = 0;
  let at = 0;
  for (let chunk = 0; chunk + 1 < starts.length; chunk++) {
    const first = chunk << CHUNK_SHIFT;
    for (const last = starts[chunk + 1] as number; at < last; at++) {
      const doc = first + (lows[at] as number);
      into[end] = doc;
      end += ((bits[doc >>> 5] as number) >>> (doc & 31)) & 1;
    }
  }
  return into.subarray(0, end);
}

/** Adds `count` documents from `doc` on, all of one chunk, to bits as far as the list has them. Returns whether it has any. */
export function addPacked({ lows, starts }: PackedList, doc: number, count: number, into: Uint32Array): boolean {
  const chunk = doc >>> CHUNK_SHIFT;
  const first = doc & LOW;
  const end = starts[chunk + 1] as number;
  const start = firstLow(lows, first, starts[chunk] as number, end);
  let at = start;
  for (; at < end; at++) {
    const place = (lows[at] as number) - first;
    if (place >= count) break;
    into[place >>> 5] = (into[place >>> 5] as number) | (1 << (place & 31));
  }
  return at > start;
}
