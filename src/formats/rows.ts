import { basename } from 'node:path';

/**
 * This folder reads source files (bytes in, rows out) and writes synthetic files (rows in, bytes out). The folder owns
 * unpacking, decoding and parsing; everything streams in constant memory. Registers, columns and the meaning of values are
 * unknown here: a cell is the text in the file.
 */

export interface SourceRow<T> {
  /**
   * Where the row is, starting at 1. CSV: the line on which it starts (the header counts). Sheet: the row number. JSON
   * and XML: the ordinal of the record.
   */
  readonly place: number;
  readonly value: T;
  /** The approximate number of characters: callers that collect rows use it to bound their memory. */
  readonly size: number;
  /** The record as written, of rows that are parsed only when their value is read. */
  readonly text?: string;
}

/** Rows are yielded in batches of a few hundred: an await per row would cost more than reading the row. */
export type Batches<T> = AsyncIterable<readonly SourceRow<T>[]>;

export const BATCH = 500;

/** Finds rows in a text that arrives in chunks. */
export abstract class RowScanner<T> {
  protected text = '';
  /** Everything before this position is processed. */
  protected at = 0;
  protected ended = false;

  /** The length of the text that must arrive before it is worth looking for rows again. */
  get held(): number {
    return this.text.length - this.at;
  }

  add(text: string): void {
    this.text = joinFlat(this.text.slice(this.at), text);
    this.at = 0;
  }

  /** There is no more text. */
  end(): void {
    this.ended = true;
  }

  /** The next batch of the rows found so far. */
  abstract take(): readonly SourceRow<T>[];
}

/**
 * Joins two texts into one piece of memory. The operator `+` makes a string that refers to both, and even after V8 has
 * flattened it, reading its characters one by one takes three times as long.
 */
function joinFlat(start: string, rest: string): string {
  return start === '' ? rest : [start, rest].join('');
}

export async function* scanRows<T>(
  texts: AsyncIterable<string>,
  scanner: RowScanner<T>,
): AsyncGenerator<readonly SourceRow<T>[]> {
  let waiting = '';
  for await (const text of texts) {
    waiting += text;
    // Copying and scanning a long row again for every chunk would take quadratic time.
    if (waiting.length < scanner.held) continue;
    scanner.add(waiting);
    waiting = '';
    for (let rows = scanner.take(); rows.length > 0; rows = scanner.take()) yield rows;
  }
  if (waiting !== '') scanner.add(waiting);
  scanner.end();
  for (let rows = scanner.take(); rows.length > 0; rows = scanner.take()) yield rows;
}

/** The file cannot be read. The message has what is wrong, where, and what to do. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

/** A record that is parsed only when its value is read, so that a thread can skip the records of other threads. */
export class UnparsedRow<T> implements SourceRow<T> {
  readonly place: number;
  readonly text: string;
  readonly #parse: (text: string, place: number) => T;

  constructor(place: number, text: string, parse: (text: string, place: number) => T) {
    this.place = place;
    this.text = text;
    this.#parse = parse;
  }

  get size(): number {
    return this.text.length;
  }

  get value(): T {
    return this.#parse(this.text, this.place);
  }
}

/** Turns an error of reading an archive into a message about the file. System errors (ENOENT, EIO) pass unchanged. */
export function describeDamage(path: string, error: unknown): unknown {
  if (error instanceof FormatError || (error instanceof Error && 'syscall' in error)) return error;
  return new FormatError(`${basename(path)} is truncated or damaged: download it again`, { cause: error });
}

/** Readers report the line or record of an error. This adds the name of the file, if the message lacks it. */
export function addFileName(error: unknown, file: string): unknown {
  if (!(error instanceof FormatError) || error.message.includes(file)) return error;
  return new FormatError(`${file}: ${error.message}`);
}
