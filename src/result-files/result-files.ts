import type { Writable } from 'node:stream';
import type { Log } from '../core/log.ts';
import { createSlots, type SlotLimits } from '../core/requests/slots.ts';
import type { Caller } from '../core/usage.ts';
import type { Sell } from '../operations/operation.ts';
import type { Search, SearchQuery, WholeResult } from '../search/search.ts';
import type { Deadline } from '../system/deadline.ts';
import { type FileFormat, writeEmpty, writeRows } from './formats.ts';
import { countKeptUnits, countUnits } from './price.ts';
import { type ResultPart, type SendLimits, sendParts } from './send-parts.ts';

/**
 * Whole results of searches as files, for the API and the portal. This folder owns their formats (`formats.ts`), their price
 * (`price.ts`), how many are sent at the same time and how they are sent (`send-parts.ts`). It does not own the search, the charge, or
 * the headers of a response.
 *
 * A file is charged before its first byte, one request per 100 rows. Rows that were never handed to the connection are refunded: because
 * the client disconnected or was too slow, or because the server failed or stopped.
 */
export interface ResultFiles {
  /** Sells a file, which is held in one version of the data until it is sent. */
  quote(request: FileRequest, sell: Sell<ResultFile>): Promise<void>;
  /** Sends a file. Returns how many of its units were sent. An error can only close the connection: the headers are sent. */
  deliver(file: ResultFile, response: Writable): Promise<number>;
}

interface FileRequest {
  readonly caller: Caller;
  readonly query: SearchQuery;
  readonly format: FileFormat;
  /** Until the file is charged. Sending it may take longer. */
  readonly deadline: Deadline;
  /** Closed if another account needs the slot. */
  readonly response: Writable;
  readonly maxRows?: number;
  /** Whether the client already has the file of this version of the data. Then it is free. */
  isKnown?(version: string): boolean;
}

export interface ResultFile {
  readonly version: string;
  readonly format: FileFormat;
  /** How many results there are; the file may have fewer rows. */
  readonly total: number;
  readonly rows: number;
  /** Whether the client has it already. */
  readonly isKnown: boolean;
  readonly result: Pick<WholeResult, 'read'>;
}

interface ResultFilesOptions {
  readonly search: Pick<Search, 'readAll'>;
  readonly log: Log;
  readonly limits?: Partial<SendLimits & SlotLimits>;
}

/** Per serving thread. docs/guides/paging.md has them, too. */
const defaultFileLimits: SendLimits & SlotLimits = {
  perAccount: 2,
  inTotal: 16,
  guaranteedMs: 30_000,
  stallMs: 30_000,
  rowsPerSecond: 100,
  maxMs: 3_600_000,
};

export function createResultFiles({ search, log, limits }: ResultFilesOptions): ResultFiles {
  const allLimits = { ...defaultFileLimits, ...limits };
  const slots = createSlots(allLimits);
  return {
    async quote(request, sell) {
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
    async deliver(file, response) {
      const sent = await sendParts(response, writeParts(file), allLimits);
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
  if (rows === 0) yield { rows, bytes: writeEmpty(format) };
  if (read !== rows) throw new Error(`a result of ${rows} rows ended after ${read}`);
}
