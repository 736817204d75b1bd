/**
 * Formats: bytes in, rows out, and back for synthetic files. Everything here streams in constant memory and knows
 * nothing of registers, columns or meaning: a cell is the text the file holds.
 */

/**
 * place: line number where the row begins in a CSV (1-based, header is a row too), row number in a sheet, ordinal of the
 * record in JSON/XML (1-based).
 */
export interface SourceRow<T> {
  readonly place: number;
  readonly value: T;
}

/** Rows come in batches (a few hundred): an await a row would cost more than the row. */
export type Batches<T> = AsyncIterable<readonly SourceRow<T>[]>;

export const BATCH = 500;

/** A file that is not what it should be; the message says what is wrong, where, and what to do. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** A record whose text is parsed when its value is asked for: who passes it over pays only for finding its end. */
export class UnparsedRow<T> implements SourceRow<T> {
  readonly place: number;
  readonly #text: string;
  readonly #parse: (text: string, place: number) => T;

  constructor(place: number, text: string, parse: (text: string, place: number) => T) {
    this.place = place;
    this.#text = text;
    this.#parse = parse;
  }

  get value(): T {
    return this.#parse(this.#text, this.place);
  }
}
