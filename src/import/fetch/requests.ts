import type { Clock } from '../../base/clock.ts';
import { parseRetryAfter } from '../../base/requests/retry-after.ts';
import { type FetchLimits, tryRepeatedly } from './attempts.ts';
import type { Client, Response } from './client.ts';
import { SourceProblem, showAddress, toProblem } from './problem.ts';

/** What all requests of a fetch share. */
export interface Connection {
  readonly client: Client;
  readonly limits: FetchLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

type Headers = Readonly<Record<string, string>>;

/** Makes one request. A response that brings too few bytes is aborted; `read` reports those that arrive to `addBytes`. */
export async function sendRequest<T>(
  url: URL,
  headers: Headers,
  { client, limits, signal }: Connection,
  read: (response: Response, addBytes: (count: number) => void) => Promise<T>,
): Promise<T> {
  const slow = new AbortController();
  let bytes = 0;
  const checkProgress = () => {
    if (bytes < (limits.minBytesPerSecond * limits.idleMs) / 1_000) {
      const message = `${url.host} sent less than ${limits.minBytesPerSecond} bytes per second`;
      slow.abort(new SourceProblem(message, 'later', { retry: true }));
    }
    bytes = 0;
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await client.get(url, headers, AbortSignal.any([slow.signal, signal]));
    timer = setInterval(checkProgress, limits.idleMs);
    return await read(response, (count) => {
      bytes += count;
    });
  } catch (error) {
    throw toProblem(error, url);
  } finally {
    clearInterval(timer);
  }
}

/** Pages and JSON answers that only say where the file is. The largest known one has 400 KB. */
const MAX_PAGE_BYTES = 8 * 1_048_576;

/** Reads a page or a JSON response that says where a file is, and selects the address from its text. */
export function fetchPage<T>(url: URL, select: (text: string) => T, connection: Connection): Promise<T> {
  return requestRepeatedly(url, {}, [OK], connection, async ({ body }, addBytes) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      addBytes(chunk.length);
      if (size > MAX_PAGE_BYTES) throw new SourceProblem(`${showAddress(url)} is too large for a page`, 'moved');
      chunks.push(chunk);
    }
    return select(Buffer.concat(chunks).toString('utf8'));
  });
}

/** Asks for a file without reading it, and returns the status. Some servers answer HEAD differently from GET. */
export function probe(
  url: URL,
  headers: Headers,
  accepted: readonly number[],
  connection: Connection,
): Promise<number> {
  return requestRepeatedly(url, headers, accepted, connection, async ({ status, body }) => {
    body.on('error', () => {}).destroy();
    return status;
  });
}

function requestRepeatedly<T>(
  url: URL,
  headers: Headers,
  accepted: readonly number[],
  connection: Connection,
  read: (response: Response, addBytes: (count: number) => void) => Promise<T>,
): Promise<T> {
  return tryRepeatedly(connection, () =>
    sendRequest(url, headers, connection, async (response, addBytes) => {
      if (!accepted.includes(response.status)) throw refuseResponse(response, url, connection.clock);
      return read(response, addBytes);
    }),
  );
}

/** What identifies a version of a file at its publisher. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export const NO_VALIDATORS: Validators = { etag: null, lastModified: null };

export const OK = 200;
export const PARTIAL = 206;
export const NOT_MODIFIED = 304;
export const NOT_FOUND = 404;
export const RANGE_NOT_SATISFIABLE = 416;

/** Ends a response that has no file. */
export function refuseResponse({ status, headers, body }: Response, url: URL, clock: Clock): SourceProblem {
  body.on('error', () => {}).destroy();
  const what = `${showAddress(url)} answered ${status}`;
  switch (status) {
    case 404:
    case 410:
      return new SourceProblem(`${what} (not found)`, 'moved');
    case 401:
    case 403:
    case 451:
      return new SourceProblem(`${what} (access denied)`, 'look');
    case 407:
      return new SourceProblem('the proxy requires a password', 'proxy');
    case NOT_MODIFIED:
      return new SourceProblem(`${what} (not modified), although the whole file was requested`, 'later');
    default: {
      const isBusy = status === 408 || status === 425 || status === 429 || status >= 500;
      const reason = status === 429 ? ' (too many requests)' : status >= 500 ? ' (an error of the publisher)' : '';
      const waitMs = parseRetryAfter(headers['retry-after'], clock.now());
      return new SourceProblem(`${what}${reason}`, 'later', { retry: isBusy, waitMs });
    }
  }
}
