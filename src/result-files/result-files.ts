import type { Writable } from 'node:stream';
import type { Deadline } from '../core/deadline.ts';
import type { Log } from '../core/log.ts';
import { createSlots, type SlotLimits } from '../core/slots.ts';
import type { Caller } from '../core/usage.ts';
import type { Denial, Limits } from '../metering/charge.ts';
import { chargeUnits, countRequest } from '../metering/charge-units.ts';
import type { Meter } from '../metering/meter.ts';
import type { Search, SearchQuery, WholeResult } from '../search/search.ts';
import { type FileFormat, writeEmpty, writeRows } from './formats.ts';
import { countKeptUnits, countUnits } from './price.ts';
import { type Part, type SendLimits, type Sent, sendParts } from './send-parts.ts';

/**
 * Whole results of searches as files, for the API and the portal. This folder owns their formats (`formats.ts`), their price
 * (`price.ts`), how many are sent at the same time and how they are sent (`send-parts.ts`). It does not own the search, the meter, or
 * the headers of a response.
 *
 * A file is charged before its first byte, one request per 100 rows. Rows that were never handed to the connection are refunded: because
 * the client disconnected or was too slow, or because the server failed or stopped.
 */
export interface ResultFiles {
  send(request: FileRequest): Promise<FileOutcome>;
  /** Resolves when no file is being sent, and what was not sent is refunded. */
  settle(): Promise<void>;
}

export interface FileRequest {
  readonly caller: Caller;
  readonly query: SearchQuery;
  readonly format: FileFormat;
  /** Until the file is charged. Sending it may take longer. */
  readonly deadline: Deadline;
  readonly response: Writable;
  readonly maxRows?: number;
  /** Whether the client already has the file of this version of the data. Then nothing is charged or sent. */
  isKnown?(version: string): boolean;
  /** Called with what is left when the request was counted, and again when it was charged. */
  report?(limits: Limits): void;
  /** Writes the headers. Called once, when the file is charged. */
  begin(file: FileHead): void;
}

export interface FileHead {
  readonly version: string;
  /** How many results there are; the file may have fewer rows. */
  readonly total: number;
}

export type FileOutcome =
  | (Denial & { readonly units: number })
  | { readonly outcome: 'known'; readonly version: string }
  | { readonly outcome: 'sent'; readonly sent: Sent };

export interface ResultFilesOptions {
  readonly search: Pick<Search, 'readAll' | 'maxWholeResults'>;
  readonly meter: Pick<Meter, 'take' | 'takeUnits' | 'refund'>;
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

/** An engine that can read only a few whole results leaves half of them to other accounts. */
export function chooseFileLimits(maxWholeResults = defaultFileLimits.inTotal): SendLimits & SlotLimits {
  const { perAccount, inTotal } = defaultFileLimits;
  const most = Math.min(inTotal, maxWholeResults);
  return { ...defaultFileLimits, inTotal: most, perAccount: Math.max(1, Math.min(perAccount, Math.floor(most / 2))) };
}

export function createResultFiles({ search, meter, log, limits }: ResultFilesOptions): ResultFiles {
  const allLimits = { ...chooseFileLimits(search.maxWholeResults), ...limits };
  const slots = createSlots(allLimits);
  const running = new Set<Promise<unknown>>();

  async function send(request: FileRequest): Promise<FileOutcome> {
    const { caller, query, deadline, report, response } = request;
    const counted = await countRequest(meter, caller, deadline);
    report?.(counted.limits);
    if (counted.outcome === 'denied') return { ...counted, units: 1 };
    const release = slots.take(caller.accountId, () => response.destroy());
    const { window } = counted.limits;
    try {
      return await search.readAll(query, (result) => sell(result, request, window), caller.accountId, deadline);
    } finally {
      release();
    }
  }

  async function sell(result: WholeResult, request: FileRequest, window: Limits['window']): Promise<FileOutcome> {
    const { caller, format, deadline, response, maxRows = Number.POSITIVE_INFINITY, isKnown, report, begin } = request;
    const { version, total } = result;
    if (isKnown?.(version) === true) return { outcome: 'known', version };
    const rows = Math.min(total, maxRows);
    const units = countUnits(rows);
    const charged = await chargeUnits(meter, caller, window, {
      units,
      deadline,
      work: async (left) => {
        report?.(left);
        begin({ version, total });
        const sent = await deliver(result, { format, rows, response });
        return { answer: sent, units: countKeptUnits(sent) };
      },
    });
    return charged.outcome === 'denied' ? { ...charged, units } : { outcome: 'sent', sent: charged.answer };
  }

  /** The headers are sent, so an error can only close the connection. */
  async function deliver(
    result: WholeResult,
    { format, rows, response }: Pick<FileRequest, 'format' | 'response'> & { readonly rows: number },
  ): Promise<Sent> {
    const sent = await sendParts(response, writeParts(result, format, rows), allLimits);
    if (sent.end === 'failed') log.warn({ err: sent.error }, 'cannot send the rest of a result');
    return sent;
  }

  return {
    send(request) {
      const sending = send(request);
      const settled = sending.catch(() => undefined).finally(() => running.delete(settled));
      running.add(settled);
      return sending;
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function* writeParts(result: WholeResult, format: FileFormat, rows: number): AsyncGenerator<Part> {
  let read = 0;
  for await (const lines of result.read(rows)) {
    const bytes = writeRows(format, lines, read === 0);
    read += lines.rows;
    yield { rows: lines.rows, bytes };
  }
  if (rows === 0) yield { rows, bytes: writeEmpty(format) };
  if (read !== rows) throw new Error(`a result of ${rows} rows ended after ${read}`);
}
