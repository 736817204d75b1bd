/** Typed arrays on shared memory. An index consists of such arrays, and all serving threads read one copy. */

/** An array with as few bytes per element as the greatest value needs. */
export type Narrow = Uint8Array<SharedArrayBuffer> | Uint16Array<SharedArrayBuffer> | Uint32Array<SharedArrayBuffer>;

export function sharedNarrow(length: number, greatest: number): Narrow {
  if (greatest < 1 << 8) return sharedBytes(length);
  if (greatest < 1 << 16) return sharedShorts(length);
  return sharedNumbers(length);
}

/** Positions in another array. A `Float64Array` holds every position that an array can have. */
export type Offsets = Uint32Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer>;

/**
 * Positions of documents in another array, in ascending order. `starts` has every 32nd position, and `steps` has how far each position is
 * behind it: two bytes per document instead of four, unless 32 documents have more than 64 KiB.
 */
interface Positions {
  readonly starts: Offsets;
  readonly steps: Narrow;
}

const STEP_SHIFT = 5;

export function packPositions(positions: Offsets): Positions {
  const greatestStart = positions instanceof Float64Array ? Number.MAX_SAFE_INTEGER : 0;
  const starts = sharedOffsets(((positions.length - 1) >>> STEP_SHIFT) + 1, greatestStart);
  for (let at = 0; at < starts.length; at++) starts[at] = positions[at << STEP_SHIFT] as number;
  const stepOf = (at: number) => (positions[at] as number) - (starts[at >>> STEP_SHIFT] as number);
  let greatest = 0;
  for (let at = 0; at < positions.length; at++) greatest = Math.max(greatest, stepOf(at));
  const steps = sharedNarrow(positions.length, greatest);
  for (let at = 0; at < positions.length; at++) steps[at] = stepOf(at);
  return { starts, steps };
}

/** The position of a document, from the arrays of `Positions`. */
export function positionOf(starts: Offsets, steps: Narrow, doc: number): number {
  return (starts[doc >>> STEP_SHIFT] as number) + (steps[doc] as number);
}

let greatestShort = 2 ** 32 - 1;

export function sharedOffsets(length: number, greatest: number): Offsets {
  return greatest > greatestShort ? new Float64Array(new SharedArrayBuffer(length * 8)) : sharedNumbers(length);
}

/** For tests: offsets above `greatest` take eight bytes from now on, so that a small index uses wide arrays. */
export function limitShortOffsets(greatest: number): void {
  greatestShort = greatest;
}

export function sharedBytes(length: number): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(new SharedArrayBuffer(length));
}

export function sharedShorts(length: number): Uint16Array<SharedArrayBuffer> {
  return new Uint16Array(new SharedArrayBuffer(length * 2));
}

export function sharedNumbers(length: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(length * 4));
}

export function shareNumbers(numbers: Uint32Array): Uint32Array<SharedArrayBuffer> {
  const shared = sharedNumbers(numbers.length);
  shared.set(numbers);
  return shared;
}

/**
 * Texts, some of which may be null. A text is decoded when it is first read: an index has tens of thousands of texts, and a thread that
 * gets a new index must not pause to decode all of them.
 */
export class TextList<T extends string | null = string> {
  /** The texts in UTF-8, without separators. Null is `NULL_BYTE`, which UTF-8 never contains. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** The position where each text begins and, at the end, the position where the last text ends. */
  readonly starts: Uint32Array<SharedArrayBuffer>;
  readonly #buffer: Buffer;
  readonly #known: T[] = [];

  /** Takes the two fields, because a list that another thread has sent arrives as a plain object. */
  constructor({ bytes, starts }: Pick<TextList<T>, 'bytes' | 'starts'>) {
    this.bytes = bytes;
    this.starts = starts;
    this.#buffer = Buffer.from(bytes.buffer);
  }

  static from<T extends string | null>(texts: readonly T[]): TextList<T> {
    const parts = texts.map((text) => (text === null ? NULL : Buffer.from(text)));
    const starts = sharedNumbers(texts.length + 1);
    for (const [at, { length }] of parts.entries()) starts[at + 1] = (starts[at] as number) + length;
    const bytes = sharedBytes(starts[texts.length] as number);
    for (const [at, part] of parts.entries()) bytes.set(part, starts[at]);
    return new TextList<T>({ bytes, starts });
  }

  get length(): number {
    return this.starts.length - 1;
  }

  at(number: number): T {
    this.#known[number] ??= this.#decode(number);
    return this.#known[number] as T;
  }

  /** Returns -1 if the text is not in the list. */
  indexOf(text: T): number {
    for (let number = 0; number < this.length; number++) if (this.at(number) === text) return number;
    return -1;
  }

  *[Symbol.iterator](): Generator<T> {
    for (let number = 0; number < this.length; number++) yield this.at(number);
  }

  /** Used to write the file of an index. */
  toJSON(): T[] {
    return [...this];
  }

  #decode(number: number): T {
    const [from, to] = [this.starts[number] as number, this.starts[number + 1] as number];
    return (this.bytes[from] === NULL_BYTE && to > from ? null : this.#buffer.toString('utf8', from, to)) as T;
  }
}

/** Stands for null in a dump of the store and in a text of the index. UTF-8 never contains this byte. */
export const NULL_BYTE = 0xff;
const NULL = Buffer.of(NULL_BYTE);
