import type { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isGone } from '../../accounts/charging/execute.ts';
import type { Sell } from '../../accounts/charging/operation.ts';
import { writeCsvHeader, writeCsvRow } from '../../base/csv.ts';
import { type EntitySummary, summaryNames } from '../../base/entity-summary.ts';
import type { Log } from '../../base/log.ts';
import { isPaid, type Plan } from '../../base/plans.ts';
import { createSlots, type SlotLimits } from '../../base/requests/slots.ts';
import type { Deadline } from '../../base/system/deadline.ts';
import type { Caller } from '../../base/usage.ts';
import type { ResultLines, Search, SearchQuery, WholeResult } from '../../search/search.ts';

export type ResultFiles = ReturnType<typeof createResultFiles>;

interface FileRequest {
  readonly caller: Caller;
  readonly query: SearchQuery;
  readonly format: FileFormat;
  /** The deadline for charging the file. Sending the file may take longer. */
  readonly deadline: Deadline;
  /** This stream is closed if another account needs the slot. */
  readonly response: Writable;
  readonly maxRows?: number;
  /** Whether the client already has the file of this version of the data. Then the file is free. */
  isKnown?(version: string): boolean;
}

export interface ResultFile {
  readonly version: string;
  readonly format: FileFormat;
  /** The number of results; the file may contain fewer rows. */
  readonly total: number;
  readonly rows: number;
  readonly isKnown: boolean;
  readonly result: Pick<WholeResult, 'read'>;
}

/** The limits of one serving thread. docs/guides/paging.md lists them too. */
const LIMITS: SendLimits & SlotLimits = {
  perAccount: 2,
  inTotal: 16,
  guaranteedMs: 30_000,
  stallMs: 30_000,
  rowsPerSecond: 100,
  maxMs: 3_600_000,
};

/**
 * Whole results of searches as files, for the API and the portal. This folder owns their formats, their price, how many are sent at
 * the same time, and how they are sent. This folder does not own the search, the charge, or the headers of a response.
 *
 * A file is charged before its first byte, one request per 100 rows. Rows that were not handed to the connection are refunded: because the client
 * disconnected or was too slow, or because the server failed or stopped.
 */
export function createResultFiles(search: Pick<Search, 'readAll'>, log: Log) {
  const slots = createSlots(LIMITS);
  return {
    /** Sells a file. The file keeps one version of the data until it is sent. */
    async quote(request: FileRequest, sell: Sell<ResultFile>): Promise<void> {
      const { caller, query, format, deadline, response, maxRows = Number.POSITIVE_INFINITY, isKnown } = request;
      const release = slots.take(caller.accountId, () => response.destroy());
      const sellWhole = async (result: WholeResult) => {
        const { version, total } = result;
        const rows = Math.min(total, maxRows);
        const known = isKnown?.(version) === true;
        await sell(known ? 0 : countUnits(rows), { version, format, total, rows, isKnown: known, result });
      };
      try {
        await search.readAll(query, sellWhole, caller.accountId, deadline);
      } finally {
        release();
      }
    },
    /** Sends a file. Returns how many of its units were sent. An error can only close the connection, because the headers are already sent. */
    async deliver(file: ResultFile, response: Writable): Promise<number> {
      const sent = await sendParts(response, writeParts(file), LIMITS);
      if (sent.end === 'failed') log.warn({ err: sent.error }, 'cannot send the rest of a result');
      return countKeptUnits(sent);
    },
  };
}

async function* writeParts({ result, format, rows }: ResultFile): AsyncGenerator<ResultPart> {
  let read = 0;
  for await (const lines of result.read(rows)) {
    const bytes = writeRows(format, lines, read === 0);
    read += lines.rows;
    yield { rows: lines.rows, bytes };
  }
  if (rows === 0) yield { rows, bytes: format === 'csv' ? CSV_HEADER : '' };
  if (read !== rows) throw new Error(`a result of ${rows} rows ended after ${read}`);
}

/** A file costs one request per this many results, because the API returns at most as many per request. */
export const ROWS_PER_UNIT = 100;

/** The maximum number of rows of a file in the portal on the free plan. The API offers no whole results on this plan. */
const MAX_FREE_ROWS = 1_000;

/** The price of a file in requests. An empty file costs as much as a search that finds nothing. */
export function countUnits(rows: number): number {
  return Math.max(1, Math.ceil(rows / ROWS_PER_UNIT));
}

/**
 * The price of a file that was sent in part. Rows that were handed to the connection are paid, because the server cannot observe whether the client
 * has read them, and a client that reads a few rows and disconnects must not get them for free.
 */
export function countKeptUnits({ isStarted, rows }: { readonly isStarted: boolean; readonly rows: number }): number {
  return isStarted ? countUnits(rows) : 0;
}

export function maxRowsOf(plan: Plan): number {
  return isPaid(plan) ? Number.POSITIVE_INFINITY : MAX_FREE_ROWS;
}

export interface ResultPart {
  readonly rows: number;
  readonly bytes: string | Uint8Array;
}

interface SendLimits {
  /** The client is disconnected if sending a part, which has 200 rows, takes longer than this. */
  readonly stallMs: number;
  /** The client is disconnected if it reads fewer rows per second than this, on average, after the first `stallMs`. */
  readonly rowsPerSecond: number;
  /** The client is disconnected if the whole file takes longer than this: a file keeps its version of the data in memory. */
  readonly maxMs: number;
}

export interface Sent {
  /** Whether any part was handed to the connection. `rows` counts the rows of all such parts. */
  readonly isStarted: boolean;
  readonly rows: number;
  readonly end: 'complete' | 'client gone' | 'too slow' | 'failed';
  readonly error?: unknown;
}

/**
 * Sends parts one after the other. The next part is produced only when the kernel has taken over the last part, so a slow client costs the memory of
 * one part. Between two parts, other requests get their turn. If not all parts are sent, the connection is closed, so that the client notices.
 */
export async function sendParts(
  to: Writable,
  parts: Iterable<ResultPart> | AsyncIterable<ResultPart>,
  limits: SendLimits,
): Promise<Sent> {
  const lastMoment = performance.now() + limits.maxMs;
  let isStarted = false;
  let rows = 0;
  let waitedMs = 0;
  try {
    for await (const part of parts) {
      const now = performance.now();
      const leftMs = Math.min(chooseWait(limits, rows, waitedMs), lastMoment - now);
      const refused = isGone(to) ? 'client gone' : leftMs <= 0 ? 'too slow' : undefined;
      if (refused === undefined) {
        isStarted = true;
        rows += part.rows;
      }
      const result = refused ?? (await sendPart(to, part.bytes, leftMs));
      if (result !== 'sent') {
        to.destroy();
        return { isStarted, rows, end: result };
      }
      waitedMs += performance.now() - now;
      await nextTurn();
    }
  } catch (error) {
    to.destroy();
    return { isStarted, rows, end: 'failed', error };
  }
  to.end();
  return { isStarted, rows, end: 'complete' };
}

/** How long to wait for a client that has already made the server wait for `waitedMs`, not counting the production of parts. */
export function chooseWait({ stallMs, rowsPerSecond }: SendLimits, rows: number, waitedMs: number): number {
  return Math.min(stallMs, stallMs + (rows / rowsPerSecond) * 1_000 - waitedMs);
}

function sendPart(to: Writable, bytes: ResultPart['bytes'], ms: number): Promise<'sent' | 'client gone' | 'too slow'> {
  if (bytes.length === 0) return Promise.resolve('sent');
  return new Promise((resolve) => {
    const end = (result: 'sent' | 'client gone' | 'too slow') => {
      clearTimeout(timer);
      to.off('close', close);
      resolve(result);
    };
    const close = () => end('client gone');
    const timer = setTimeout(() => end('too slow'), ms);
    to.once('close', close);
    to.write(bytes, (error) => end(error ? 'client gone' : 'sent'));
  });
}

export type FileFormat = 'csv' | 'ndjson';

export const contentTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

const CSV_HEADER = writeCsvHeader(summaryNames);

/** The header is part of the first rows, so that nothing is sent, and nothing has to be paid, if there is no row. */
function writeRows(format: FileFormat, { lines }: Pick<ResultLines, 'lines'>, isFirst: boolean) {
  if (format === 'ndjson') return lines;
  let text = isFirst ? CSV_HEADER : '';
  for (const line of decode(lines).split('\n')) if (line !== '') text += writeRow(JSON.parse(line));
  return text;
}

export function writePage(format: FileFormat, page: readonly EntitySummary[]): string {
  if (format === 'ndjson') return page.map((entity) => `${JSON.stringify(entity)}\n`).join('');
  return CSV_HEADER + page.map(writeRow).join('');
}

function writeRow(entity: EntitySummary): string {
  return writeCsvRow(summaryNames.map((name) => entity[name]));
}

type PageMeta = Readonly<Record<'page' | 'pageSize' | 'pageCount' | 'total', number>>;

export function parsePage(body: Uint8Array): { readonly data: readonly EntitySummary[]; readonly meta: PageMeta } {
  return JSON.parse(decode(body));
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
