import type { Writable } from 'node:stream';
import type { Log } from '../core/log.ts';
import type { Caller } from '../core/usage.ts';
import type { Sell } from '../operations/operation.ts';
import type { Search, SearchQuery, WholeResult } from '../search/search.ts';
import type { Deadline } from '../system/deadline.ts';
import { type FileFormat, writeRows, writeStart } from './formats.ts';
import { countKeptUnits, countUnits } from './price.ts';
import { type Part, type SendLimits, sendParts } from './send-parts.ts';
import { createSlots, type SlotLimits } from './slots.ts';

/**
 * Whole results of searches as files, for the API and the portal. This folder owns their formats (`formats.ts`), their price
 * (`price.ts`), how many are sent at the same time (`slots.ts`) and how they are sent (`send-parts.ts`). It does not own the search,
 * the charge, or the headers of a response.
 *
 * A file is charged before its first byte, one request per 100 rows. Rows that the kernel of this machine did not take over are
 * refunded: because the client disconnected or was too slow, or because the server failed or stopped.
 */
export interface ResultFiles {
  /** Sells a file, which is held in one version of the data until it is sent. */
  quote(request: FileRequest, sell: Sell<ResultFile>): Promise<void>;
  /** Sends a file. Returns how many of its units were sent. An error can only close the connection: the headers are sent. */
  deliver(file: ResultFile, response: Writable): Promise<number>;
}

export interface FileRequest {
  readonly caller: Caller;
  readonly query: SearchQuery;
  readonly format: FileFormat;
  /** Until the file is charged. Sending it may take longer. */
  readonly deadline: Deadline;
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

export interface ResultFilesOptions {
  readonly search: Pick<Search, 'readAll'>;
  readonly log: Log;
  readonly limits?: Partial<SendLimits & SlotLimits>;
}

/** Per serving thread. docs/guides/paging.md has them, too. */
const defaultFileLimits: SendLimits & SlotLimits = {
  perAccount: 2,
  inTotal: 16,
  stallMs: 30_000,
  maxMs: 3_600_000,
};

export function createResultFiles({ search, log, limits }: ResultFilesOptions): ResultFiles {
  const allLimits = { ...defaultFileLimits, ...limits };
  const slots = createSlots(allLimits);
  return {
    async quote({ caller, query, format, deadline, maxRows = Number.POSITIVE_INFINITY, isKnown }, sell) {
      using _slot = slots.take(caller.accountId);
      const sellWhole = async (result: WholeResult) => {
        const { version, total } = result;
        const rows = Math.min(total, maxRows);
        const known = isKnown?.(version) === true;
        await sell(known ? 0 : countUnits(rows), { version, format, total, rows, isKnown: known, result });
      };
      await search.readAll(query, sellWhole, caller.accountId, deadline);
    },
    async deliver(file, response) {
      const { rows } = file;
      const sent = await sendParts(response, writeParts(file), allLimits);
      if (sent.end === 'failed') log.warn({ err: sent.error }, 'cannot send the rest of a result');
      return sent.end === 'complete' ? countUnits(rows) : countKeptUnits(rows, sent.rows);
    },
  };
}

async function* writeParts({ result, format, rows }: ResultFile): AsyncGenerator<Part> {
  yield { rows: 0, bytes: writeStart(format) };
  let read = 0;
  for await (const lines of result.read(rows)) {
    read += lines.rows;
    yield { rows: lines.rows, bytes: writeRows(format, lines) };
  }
  if (read !== rows) throw new Error(`a result of ${rows} rows ended after ${read}`);
}
