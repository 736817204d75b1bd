import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import Type, { type Static, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/schema';
import { writeCsvHeader } from '../../base/csv.ts';
import { Failure, fail } from '../../base/errors.ts';
import { formatCount } from '../../base/format-count.ts';
import { takeBreakIfDue } from '../../base/system/event-loop.ts';
import { readListedQuery } from '../match-parameters.ts';
import type { ListedQuery } from './batch.ts';
import { acceptLikely, createRowReader, findNameColumn, openList, RESULT_COLUMNS, writeRow } from './list.ts';

/** The limits of rows per list, rows per page and candidates per row. With these limits, a page has at most about 100 kB. */
export const MAX_ROWS = 1_000;
export const ROWS_PER_PAGE = 25;
const SHOWN_CANDIDATES = 3;
const MAX_COLUMNS = 1_024;

/**
 * The state of a list that is being matched. The state is packed into a hidden field of the form, so that the server keeps nothing. A client
 * can change its state, which affects only its own result: no part of the state is trusted. A few hundred bytes can unpack to megabytes, so
 * the state is a bounded number of lines of JSON, and only the lines that a page needs are parsed.
 */
export interface MatchState {
  readonly header: readonly string[];
  /** The country of rows without a country; '' if no country is given. */
  readonly country: string;
  /** The number of remaining rows that can be matched. */
  readonly valid: number;
  /** The cells of each row, as JSON. */
  readonly rows: readonly string[];
  /** The columns that were added to the rows of earlier pages, as JSON. */
  readonly done: readonly string[];
  /** For each row of the current page, the columns of each choice, as JSON. */
  readonly page: readonly string[];
}

const Text = Type.Array(Type.String(), { maxItems: MAX_COLUMNS });
const Results = Type.Array(Type.Union([Type.String(), Type.Null()]), { maxItems: RESULT_COLUMNS.length });
const Count = (maximum: number) => Type.Integer({ minimum: 0, maximum });
const validators = {
  head: Compile(
    Type.Object({
      header: Text,
      country: Type.String(),
      valid: Count(MAX_ROWS),
      done: Count(MAX_ROWS),
      page: Count(ROWS_PER_PAGE),
    }),
  ),
  row: Compile(Text),
  results: Compile(Results),
  choices: Compile(Type.Array(Results, { minItems: 1, maxItems: SHOWN_CANDIDATES + 1 })),
} as const;

/** The limit of lines: the head, the rows, and the results of finished rows. */
const MAX_PACKED_LINES = 1 + 2 * MAX_ROWS;
const MAX_LINE_LENGTH = 256 * 1024;
/** The maximum size of a list and its results. */
const MAX_BYTES = 4 * 1024 * 1024;

const deflate = promisify<string, Buffer>(deflateRaw);
const inflate = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflateRaw);

export async function packState({ header, country, valid, rows, done, page }: MatchState): Promise<string> {
  const head = JSON.stringify({ header, country, valid, done: done.length, page: page.length });
  const text = [head, ...done, ...page, ...rows].join('\n');
  if (Buffer.byteLength(text) > MAX_BYTES) throw fail('invalid_request', { message: TOO_LARGE });
  return (await deflate(text)).toString('base64url');
}

const TOO_LARGE = 'The list is too large: use the API or the command line for lists with so much text.';

export async function unpackState(packed: string): Promise<MatchState> {
  const bytes = await inflate(Buffer.from(packed, 'base64url'), { maxOutputLength: MAX_BYTES }).catch(() => undefined);
  if (bytes === undefined || !isUtf8(bytes)) throw incomplete();
  const [first = '', ...lines] = bytes.toString().split('\n', MAX_PACKED_LINES + 1);
  const { done, page, ...head } = parse(first, validators.head);
  const rows = lines.slice(done + page);
  if (rows.length === 0 || rows.length > MAX_ROWS || done + page > rows.length) throw incomplete();
  return { ...head, done: lines.slice(0, done), page: lines.slice(done, done + page), rows };
}

function parseRow(line: string): string[] {
  return parse(line, validators.row);
}

export function parseResults(line: string): (string | null)[] {
  return parse(line, validators.results);
}

/** Companies with at least this score can be accepted together. */
export const LIKELY = 0.95;

/** The position of the preselected choice of a row: the likeliest company, unless no company fits. */
export function usualChoice(status: string | null | undefined): number {
  return status === 'match' || status === 'ambiguous' ? 1 : 0;
}

/** Moves the choices of the current page to the finished rows. */
export async function finishPage(
  state: MatchState,
  choiceOf: (row: number) => string | undefined,
  acceptsLikely: boolean,
): Promise<MatchState> {
  const done = [...state.done];
  for (const line of state.page) {
    await takeBreakIfDue();
    const choices = parse(line, validators.choices);
    const given = choiceOf(done.length);
    const choice = choices[Number(given ?? usualChoice(choices[1]?.[0]))] ?? choices[0] ?? [];
    const isAccepted = acceptsLikely || given !== undefined;
    done.push(JSON.stringify(isAccepted ? acceptLikely(choice, given === undefined ? LIKELY : 0) : choice));
  }
  return { ...state, done, page: [] };
}

function parse<S extends TSchema>(line: string, validator: Validator<S>): Static<S> {
  try {
    const value: unknown = line.length > MAX_LINE_LENGTH ? undefined : JSON.parse(line);
    if (validator.Check(value)) return value as Static<S>;
  } catch {
    // An error of parsing is reported below.
  }
  throw incomplete();
}

function incomplete() {
  return fail('invalid_request', { message: 'The list is not complete: start again with the list.' });
}

/** The limit of lines, more than rows: a list may have blank lines and cells with several lines. */
const MAX_LINES = 10 * MAX_ROWS;
const CHUNK_BYTES = 64 * 1024;

export async function parseList(text: string, country: string): Promise<MatchState> {
  if (country.length > 2) throw fail('invalid_request', { message: 'Choose a country from the list.' });
  checkLines(text);
  try {
    const { header, rows: batches } = await openList(readChunks(text), 'detect');
    checkWidth(header, 'The first line');
    const rows: string[] = [];
    for await (const batch of batches) {
      for (const row of batch) {
        await takeBreakIfDue();
        if (rows.length === MAX_ROWS) throw tooLong(MAX_ROWS, 'rows');
        checkWidth(row, `Row ${formatCount(rows.length + 1)}`);
        rows.push(JSON.stringify(row));
      }
    }
    if (rows.length === 0) throw fail('invalid_request', { message: 'The list has no rows.' });
    return { header: [...header], rows, country, valid: 0, done: [], page: [] };
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error) || error.name !== 'FormatError') throw error;
    throw fail('invalid_request', { message: `The list cannot be read: ${error.message}.` });
  }
}

/** Bounds the cost of parsing the list, before parsing starts. */
function checkLines(text: string): void {
  let lines = 0;
  for (let start = 0, end = 0; end !== -1; start = end + 1) {
    end = text.indexOf('\n', start);
    if (++lines > MAX_LINES) throw tooLong(MAX_LINES, 'lines');
    if ((end === -1 ? text.length : end) - start > MAX_LINE_LENGTH / 2) {
      throw fail('invalid_request', { message: `Line ${formatCount(lines)} of the list is too long.` });
    }
  }
}

function checkWidth(cells: readonly string[], what: string): void {
  if (cells.length <= MAX_COLUMNS) return;
  const message = `${what} has ${formatCount(cells.length)} cells; the maximum is ${formatCount(MAX_COLUMNS)}.`;
  throw fail('invalid_request', { message });
}

function tooLong(limit: number, what: string): Failure {
  const message = `The list has more than ${formatCount(limit)} ${what}. Use the API or the command line for longer lists.`;
  return fail('invalid_request', { message });
}

async function* readChunks(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    await takeBreakIfDue();
    yield bytes.subarray(at, at + CHUNK_BYTES);
  }
}

/** A row of the list: its name, and its query or the error of an invalid query. */
export interface ListedRow {
  readonly name: string;
  readonly listed: ListedQuery;
}

/** Parses `count` rows from the row `first` on, with breaks for other requests. */
export async function parseRows(
  { header, rows, country }: MatchState,
  first: number,
  count = MAX_ROWS,
): Promise<ListedRow[]> {
  const defaults = { limit: SHOWN_CANDIDATES, ...(country !== '' && { country }) };
  const read = createRowReader(header, (given) => readListedQuery({ ...defaults, ...(given as object) }));
  const column = findNameColumn(header);
  const listed: ListedRow[] = [];
  for (const line of rows.slice(first, first + count)) {
    await takeBreakIfDue();
    const cells = parseRow(line);
    listed.push({ name: cells[column]?.trim() ?? '', listed: read(cells) });
  }
  return listed;
}

/** Writes the rows as CSV, with the columns of their companies. */
export async function writeResult({ header, rows, done }: MatchState): Promise<Buffer> {
  const parts = [Buffer.from(writeCsvHeader([...header, ...RESULT_COLUMNS], header.length))];
  for (const [index, line] of rows.entries()) {
    await takeBreakIfDue();
    const results = done[index];
    // Collects bytes, because a text of a million joined cells would be put together in one turn of the event loop when it is sent.
    parts.push(
      Buffer.from(writeRow(header, parseRow(line), results === undefined ? ['not matched'] : parseResults(results))),
    );
  }
  return Buffer.concat(parts);
}
